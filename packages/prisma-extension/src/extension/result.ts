import type { IdColumn, Model, Relation } from './model.js'
import { type Place, withPlace } from './place.js'

type Row = Record<string, unknown>

/** What an operation answers, with ids in place of database values. */
export type ReadAnswer = (model: Model, answer: unknown, place: Place) => unknown

/**
 * Rows as Prisma answers them, with ids in place of database values. The rows are the call's own, so they are
 * changed and not copied.
 */
export const readRows: ReadAnswer = (model, answer, place) => {
  if (Array.isArray(answer)) for (const row of answer) readRow(model, row, place)
  else readRow(model, answer as Row | null | undefined, place)
  return answer
}

/** The same for `aggregate` and `groupBy`, whose aggregates hold ids as well. */
export const readAggregates: ReadAnswer = (model, answer, place) => {
  for (const row of [answer].flat() as Row[]) {
    readIds(model, row, place)
    for (const ids of [row['_min'], row['_max']]) {
      if (ids != null) readIds(model, ids as Row, place)
    }
  }
  return answer
}

// Runs for every row of every answer: hence the prepared lists, walked by index.

function readRow(model: Model, row: Row | null | undefined, place: Place): void {
  if (row == null) return
  readIds(model, row, place)
  const { relationList } = model
  for (let index = 0; index < relationList.length; index++) {
    const { field, target } = relationList[index] as Relation
    const related = row[field]
    if (related != null) readRows(target, related, place)
  }
}

function readIds({ idList }: Model, row: Row, place: Place): void {
  for (let index = 0; index < idList.length; index++) {
    const column = idList[index] as IdColumn
    const value = row[column.field]
    if (value != null) row[column.field] = readId(column, value, place)
  }
}

/** A database value, or a list of them, as ids. */
export const readId = (column: IdColumn, value: unknown, place: Place): unknown =>
  withPlace(column.name, place, () =>
    Array.isArray(value) ? value.map((item) => column.read(item)) : column.read(value),
  )
