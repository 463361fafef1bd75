import { IdError } from '@snoflax/core'
import { show } from '@snoflax/core/adapter'
import type { IdColumn } from './columns.js'
import type { Model } from './model.js'
import { inside, type Place, withPlace } from './place.js'

type Row = Record<string, unknown>

/** Converts the result of an operation: ids in place of database values. */
export type ReadAnswer = (model: Model, answer: unknown, place: Place) => void

/**
 * Puts ids in place of database values in the rows of a result. The rows belong to the call, so they are changed in
 * place, column by column.
 */
export const readRows: ReadAnswer = (model, answer, place) => {
  const rows = (Array.isArray(answer) ? answer : [answer]) as readonly Row[]
  const placeOf = (index: number) => (Array.isArray(answer) ? inside(place, index) : place)
  readIds(model, rows, placeOf)
  for (const [field, target] of model.convertedRelations) {
    for (let index = 0; index < rows.length; index++) {
      const related = rows[index]?.[field]
      if (related != null) readRows(target, related, inside(placeOf(index), field))
    }
  }
}

/** The same for `aggregate` and `groupBy`, whose `_min` and `_max` contain ids as well. */
export const readAggregates: ReadAnswer = (model, answer, place) => {
  const rows = [answer].flat() as Row[]
  const ends = rows.flatMap((row) => [row['_min'], row['_max']]).filter((ids) => ids != null) as Row[]
  readIds(model, [...rows, ...ends], () => place)
}

function readIds({ converted }: Model, rows: readonly Row[], placeOf: (index: number) => Place): void {
  for (const column of converted) {
    const { field, storage } = column
    const read = storage.fromDatabase as (value: unknown) => unknown
    let index = 0
    try {
      for (; index < rows.length; index++) {
        const row = rows[index] as Row
        // Another extension may put null in place of a row.
        const value = row?.[field]
        if (typeof value === 'string') row[field] = read(value)
        else if (value != null) row[field] = Array.isArray(value) ? value.map(read) : read(value)
      }
    } catch (error) {
      const row = rows[index] as Row
      refuseValue(error, column, row[field], inside(placeOf(index), field), keysOf(converted, column, row))
    }
  }
}

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
