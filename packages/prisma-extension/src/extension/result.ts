import { IdError } from '@snoflax/core'
import { show } from '@snoflax/core/adapter'
import type { IdColumn, Model, Relation } from './model.js'
import { inside, type Place, withPlace } from './place.js'

type Row = Record<string, unknown>

/** Converts the result of an operation: ids in place of database values. */
export type ReadAnswer = (model: Model, answer: unknown, place: Place) => unknown

/**
 * Puts ids in place of database values in the rows of a result. The rows belong to the call, so they are changed in
 * place.
 */
export const readRows: ReadAnswer = (model, answer, place) => {
  if (!Array.isArray(answer)) readRow(model, answer as Row | null | undefined, place)
  else for (let index = 0; index < answer.length; index++) readRow(model, answer[index], place, index)
  return answer
}

/** The same for `aggregate` and `groupBy`, whose `_min` and `_max` contain ids as well. */
export const readAggregates: ReadAnswer = (model, answer, place) => {
  for (const row of [answer].flat() as Row[]) {
    readIds(model, row, place)
    for (const ids of [row['_min'], row['_max']]) {
      if (ids != null) readIds(model, ids as Row, place)
    }
  }
  return answer
}

// This runs for every row of every result, so it walks prepared lists by index, and creates places only for errors.

function readRow(model: Model, row: Row | null | undefined, place: Place, at?: number): void {
  if (row == null) return
  readIds(model, row, place, at)
  const { convertedRelations: relationList } = model
  for (let index = 0; index < relationList.length; index++) {
    const { field, target } = relationList[index] as Relation
    const related = row[field]
    if (related != null) readRows(target, related, inside(placeOf(place, at), field))
  }
}

const placeOf = (place: Place, at: number | undefined): Place =>
  at === undefined ? place : inside(place, at)

function readIds({ converted: idList }: Model, row: Row, place: Place, at?: number): void {
  for (let index = 0; index < idList.length; index++) {
    const column = idList[index] as IdColumn
    const value = row[column.field]
    if (value == null) continue
    try {
      row[column.field] = readId(column, value)
    } catch (error) {
      refuseValue(error, column, value, inside(placeOf(place, at), column.field), keysOf(idList, column, row))
    }
  }
}

/** A database value, or a list of them, as ids. */
const readId = (column: IdColumn, value: unknown): unknown =>
  Array.isArray(value) ? value.map((item) => column.read(item)) : column.read(value)

/**
 * Adds the stored value, and keys that identify the row, to the error of reading a value.
 *
 * @throws {IdError} always; other errors are rethrown unchanged.
 */
export function refuseValue(
  error: unknown,
  column: IdColumn,
  value: unknown,
  place: Place,
  keys = '',
): never {
  return withPlace(column.name, place, () => {
    if (!(error instanceof IdError)) throw error
    throw new IdError(error.code, `${error.message}; the stored value is ${hex(value)}${keys}`, {
      ...error,
      cause: error,
    })
  })
}

/** Text as bytes: characters that nobody sees tell values apart, too. */
const hex = (value: unknown): string =>
  typeof value === 'bigint'
    ? String(value)
    : show(typeof value === 'string' ? new TextEncoder().encode(value) : value)

/** `, in the row with customerId "Kpcan0M1FakODT4k"` */
function keysOf(idList: readonly IdColumn[], refused: IdColumn, row: Row): string {
  const fields = new Set(['id', ...idList.map(({ field }) => field)])
  fields.delete(refused.field)
  const keys = [...fields]
    .filter((field) => row[field] != null)
    .map((field) => `${field} ${shown(row[field])}`)
  return keys.length === 0 ? '' : `, in the row with ${keys.join(', ')}`
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : Object(value) === value ? show(value) : String(value)
