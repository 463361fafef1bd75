import { IdError } from '@snoflax/core'
import {
  Column,
  type DriverValueEncoder,
  entityKind,
  is,
  isSQLWrapper,
  noopEncoder,
  Param,
  Placeholder,
} from 'drizzle-orm'
import { arrayLiteral } from './array-literal.js'
import { findIds, idsOf } from './column-ids.js'
import type { Comparison } from './comparisons.js'

type Encoder = Column | DriverValueEncoder<unknown, unknown>

/**
 * Has the values of a comparison take the form of the id column that they are compared with.
 *
 * @throws {IdError} `INVALID_OPTION` for a pattern, where the ids are no text in the database.
 */
export function bindComparison(chunks: unknown[], comparison: Comparison): void {
  const { array, isPattern } = comparison
  const rows = rowsOf(chunks, comparison)
  if (isPattern) refusePattern(rows.flat(), comparison)
  else bindRows(rows, array === undefined ? undefined : new Cell(chunks, array))
}

/** Where a value lies: among the chunks, or in a list that is one of them. */
class Cell {
  constructor(
    private readonly holder: unknown[],
    private readonly key: number,
  ) {}

  get value(): unknown {
    return this.holder[this.key]
  }

  encode(encoder: Encoder): void {
    const { value } = this
    if (isBare(value)) this.holder[this.key] = new Param(value.value, encoder)
    else if (isValue(value) || Array.isArray(value)) this.holder[this.key] = new Param(value, encoder)
  }

  /** The cells of a list, else this one. The list is copied, since it is the user's. */
  spread(): Cell[] {
    if (!Array.isArray(this.value)) return [this]
    const copy = [...this.value]
    this.holder[this.key] = copy
    return copy.map((_, key) => new Cell(copy, key))
  }
}

type CellRow = readonly (Cell | undefined)[]

function rowsOf(chunks: unknown[], { rows, list }: Comparison): CellRow[] {
  const width = Math.max(...rows.map(({ length }) => length))
  const cells = rows.map((row) => row.map((at) => (at === undefined ? undefined : new Cell(chunks, at))))
  const listed = list === undefined ? [] : new Cell(chunks, list).spread().map((cell) => [cell])
  // A row may be a list itself.
  return [...cells, ...listed].map((row) => (row.length < width && row[0] ? row[0].spread() : row))
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
  const column = cells.map(({ value }) => value).find(isIdColumn)
  if (column) {
    for (const cell of isList(column) ? cells : cells.flatMap((one) => one.spread())) cell.encode(column)
    list?.encode(listOf(column))
  } else if (isIdColumn(list?.value)) {
    for (const cell of cells) cell.encode(elementOf(list.value))
  }
}

const isList = ({ dataType }: Column): boolean => dataType === 'array'

/** Of one id, for comparisons with the elements of an array. */
const elementOf = (column: Column): Encoder => ({ mapToDriverValue: (id) => idsOf(column).toDatabase(id) })

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
  const column = cells.map((cell) => cell?.value).find(isIdColumn)
  const pattern = cells.find((cell) => hasValue(cell?.value))
  const { storage, place } = (column && findIds(column)) ?? {}
  if (storage === undefined || storage.name === 'text' || pattern === undefined) return
  throw new IdError(
    'INVALID_OPTION',
    `${place}: ${operator} matches texts, and these ids are no texts in the database: the storage is ${storage.name}`,
    { family: storage.family.name, field: operator, value: pattern.value, path: place },
  )
}

/** A column that holds ids, or lists of them. */
export const isIdColumn = (chunk: unknown): chunk is Column =>
  is(chunk, Column) && findIds(chunk) !== undefined

/** Whether a chunk, or one in a list of chunks, is a value that nothing encodes. */
export const hasValue = (chunk: unknown): boolean =>
  Array.isArray(chunk) ? chunk.some(hasValue) : isValue(chunk) || isBare(chunk)

/** A `sql.param(…)` without an encoder. */
const isBare = (chunk: unknown): chunk is Param => is(chunk, Param) && chunk.encoder === noopEncoder

/** What Drizzle sends as a parameter, or a placeholder of one. Null is null in every form. */
const isValue = (chunk: unknown): boolean =>
  is(chunk, Placeholder) ||
  chunk instanceof Uint8Array ||
  ['string', 'number', 'bigint', 'boolean'].includes(typeof chunk) ||
  (typeof chunk === 'object' && chunk !== null && !isSQLWrapper(chunk) && !isOfDrizzle(chunk))

const isOfDrizzle = ({ constructor: kind }: object): boolean => kind !== undefined && entityKind in kind
