import { IdError } from '@snoflax/core'
import type { Column } from 'drizzle-orm'
import { arrayLiteral } from './array-literal.js'
import type { Cell, Encoder } from './cell.js'
import { findIds, IDS, idsOf } from './column-ids.js'
import type { Comparison } from './comparisons.js'

/**
 * Has the values of a comparison take the form of the id column that they are compared with.
 *
 * @throws {IdError} `INVALID_OPTION` for a pattern, where the ids are no text in the database.
 */
export function bindComparison(cells: readonly Cell[], comparison: Comparison): void {
  const { array, isPattern } = comparison
  const rows = rowsOf(cells, comparison)
  if (isPattern) refusePattern(rows.flat(), comparison)
  else bindRows(rows, array === undefined ? undefined : cells[array])
}

type CellRow = readonly (Cell | undefined)[]

function rowsOf(cells: readonly Cell[], { rows, list }: Comparison): CellRow[] {
  const width = Math.max(...rows.map(({ length }) => length))
  const sides = rows.map((row) => row.map((at) => (at === undefined ? undefined : cells[at])))
  const listed = list === undefined ? [] : (cells[list] as Cell).spread().map((cell) => [cell])
  // A row may be a list itself.
  return [...sides, ...listed].map((row) => (row.length < width && row[0] ? row[0].spread() : row))
}

/** Each position of the rows by itself. */
function bindRows(rows: readonly CellRow[], list: Cell | undefined): void {
  for (const position of rows[0]?.keys() ?? []) {
    bindCells(
      rows.flatMap((row) => row[position] ?? []),
      list,
    )
  }
}

function bindCells(cells: readonly Cell[], list: Cell | undefined): void {
  const column = columnAmong(cells)
  if (column) {
    for (const cell of isList(column) ? cells : cells.flatMap((one) => one.spread())) cell.encode(column)
    list?.encode(listOf(column))
  } else if (list?.column) {
    for (const cell of cells) cell.encode(elementOf(list.column))
  }
}

const columnAmong = (cells: CellRow): Column | undefined =>
  cells.map((cell) => cell?.column).find((column) => column !== undefined)

const isList = ({ dataType }: Column): boolean => dataType === 'array'

/** Of one id, for comparisons with the elements of an array. */
function elementOf(column: Column): Encoder {
  const ids = idsOf(column)
  return Object.assign({ mapToDriverValue: (id: unknown) => ids.toDatabase(id) }, { [IDS]: ids })
}

/** Of a list of ids, for `any(…)`. */
function listOf(column: Column): Encoder {
  const ids = idsOf(column)
  return {
    mapToDriverValue(list) {
      if (Array.isArray(list)) return arrayLiteral(list.map((id) => ids.toDatabase(id)))
      throw new TypeError(`${ids.place}: any() takes a list of ids, not ${JSON.stringify(list)}`)
    },
  }
}

function refusePattern(cells: CellRow, { operator }: Comparison): void {
  const column = columnAmong(cells)
  const pattern = cells.find((cell) => cell?.isValue)
  const { storage, place } = (column && findIds(column)) ?? {}
  if (storage === undefined || storage.name === 'text' || pattern === undefined) return
  throw new IdError(
    'INVALID_OPTION',
    `${place}: ${operator} matches texts, and these ids are no texts in the database: the storage is ${storage.name}`,
    { family: storage.family.name, field: operator, value: pattern.chunk, path: place },
  )
}
