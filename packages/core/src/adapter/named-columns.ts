import type { IdFamily } from '../family.js'
import { IdError } from '../primitives/errors.js'
import type { IdStorage } from '../storage/index.js'
import type { Reading } from './comparisons.js'

/** An id column, as errors name it. */
export interface NamedColumn {
  /** Table and column. */
  readonly place: string
  /** Whose ids it holds. */
  readonly family: IdFamily
  /** Asked for when it matters: a reference may have that of a table which is defined later. */
  readonly storage: () => IdStorage<string>
}

/** A value in SQL, by the number of its chunk, and the id columns that it may be compared with. */
export interface BesideName {
  /** Its number. */
  readonly chunk: number
  /** Those of the name. */
  readonly columns: readonly NamedColumn[]
}

/**
 * Id columns by their names, for SQL whose text names them: `id = ${id}`. Nothing tells the table there, so no value
 * can be converted, and an id would find nothing. Names are alike in any case, with underscores or without.
 *
 * @example
 * const named = new NamedColumns()
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * named.add('customer_id', { place: 'orders.customer_id', family: flax, storage })
 * const [one] = named.beside(readComparisons(`customer_id = ${markOf(0)}`, 'sqlite'))
 * one.columns[0].place // 'orders.customer_id'
 */
export class NamedColumns {
  private readonly columns = new Map<string, Map<string, NamedColumn>>()
  private readonly families = new Set<IdFamily>()

  /** Adds a column; a table that is defined again replaces itself. */
  add(name: string, column: NamedColumn): void {
    const key = keyOf(name)
    const alike = this.columns.get(key) ?? new Map<string, NamedColumn>()
    this.columns.set(key, alike.set(column.place, column))
    this.families.add(column.family)
  }

  /** The values that SQL compares with columns which its text names, or writes there, with the columns of that name. */
  beside({ comparisons }: Reading): BesideName[] {
    return comparisons.flatMap(({ rows, list, array, names }) =>
      names.flatMap((some, at) => {
        const columns = some.flatMap((name) => [...(this.columns.get(keyOf(name))?.values() ?? [])])
        if (columns.length === 0) return []
        const terms = rows.flatMap((row) => row[at] ?? []).map(({ chunk }) => chunk)
        return [...terms, ...[list, array].filter((chunk) => chunk !== undefined)].map((chunk) => ({
          chunk,
          columns,
        }))
      }),
    )
  }

  /** Whether the value, or one of an array, is an id of a family that a column has: a quick look before SQL is read. */
  mayHold(value: unknown): boolean {
    if (Array.isArray(value)) return value.some((one) => this.mayHold(one))
    if (typeof value !== 'string') return false
    for (const family of this.families) if (family.is(value)) return true
    return false
  }
}

const SHOWN = 3

const keyOf = (name: string): string => name.replaceAll('_', '').toLowerCase()

const isIdOf = ({ family, storage }: NamedColumn, value: unknown): boolean =>
  family.is(value) && storage().converts

/**
 * Refuses a value beside the name of an id column if it is an id that the column's storage would convert.
 *
 * @throws {IdError} `INVALID_OPTION`, with the advice as its end.
 *
 * @example
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * refuseUnconverted([{ place: 'orders.id', family: flax, storage }], 7, 'pass parameter(column, id)') // undefined: 7 is no id
 */
export function refuseUnconverted(columns: readonly NamedColumn[], value: unknown, advice: string): void {
  if (Array.isArray(value)) {
    for (const one of value) refuseUnconverted(columns, one, advice)
    return
  }
  const [column, ...others] = columns.filter((one) => isIdOf(one, value))
  if (!column) return
  const { place, family, storage } = column
  const places = [place, ...others.slice(0, SHOWN - 1).map((one) => one.place)].join(' or ')
  const more = others.length < SHOWN ? '' : `, or ${others.length - SHOWN + 1} others`
  throw new IdError(
    'INVALID_OPTION',
    `${places}${more}: the text of the SQL names the column, so the id ${JSON.stringify(value)} beside it isn't converted to ` +
      `the column's storage (${storage().name}); ${advice}`,
    { family: family.name, value, path: place },
  )
}
