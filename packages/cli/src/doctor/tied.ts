import type { ColumnRules } from './declaration.js'
import type { Examination } from './examination.js'
import type { IdColumn } from './id-columns.js'
import { placeOf } from './live-database.js'
import type { Cure } from './report.js'

/** The column, and all that reference it or are referenced by it, directly or indirectly, in the order of the report. */
export function tiedTo(columns: readonly IdColumn[], start: IdColumn): IdColumn[] {
  const tied = new Set([start])
  for (const one of tied) {
    for (const other of columns) {
      const isTied =
        other.column.references === placeOf(one.column) || one.column.references === placeOf(other.column)
      if (isTied) tied.add(other)
    }
  }
  return columns.filter((one) => tied.has(one))
}

/** If another column's cure already converts this one: where that is. Running the statements twice would fail. */
export function curedWith(
  { typeFault }: Pick<ColumnRules, 'typeFault'>,
  { database: { kind } }: Examination,
  tied: readonly IdColumn[],
  idColumn: IdColumn,
): Cure | undefined {
  const first = tied.find((one) => typeFault(one, kind) !== undefined)
  if (first === undefined || first === idColumn) return undefined
  return { leaves: `the statements for ${placeOf(first.column)} convert this column too` }
}
