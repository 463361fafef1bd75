import type { IdColumn, Model } from './model.js'
import { type Place, placed } from './place.js'

/** Aggregates that answer ids. */
const AGGREGATES = ['_min', '_max']

type Row = Record<string, unknown>

/**
 * Rows as Prisma answers them, with ids in place of database values. The rows are the call's own, so they are
 * changed and not copied.
 */
export function readRows(model: Model, value: unknown, place: Place): unknown {
  if (Array.isArray(value)) for (const row of value) readRow(model, row as Row | null, place)
  else readRow(model, value as Row | null | undefined, place)
  return value
}

function readRow(model: Model, row: Row | null | undefined, place: Place): void {
  if (row == null) return
  readIds(model, row, place)
  for (const [field, related] of model.relations) {
    if (row[field] != null) readRows(related, row[field], place)
  }
  for (const aggregate of AGGREGATES) {
    if (row[aggregate] != null) readIds(model, row[aggregate] as Row, place)
  }
}

function readIds(model: Model, row: Row, place: Place): void {
  for (const [field, column] of model.ids) {
    const value = row[field]
    if (value != null) row[field] = readId(column, value, place)
  }
}

/** A database value, or a list of them, as ids. */
export function readId(column: IdColumn, value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return value.map((item) => readId(column, item, place))
  try {
    return column.storage.fromDatabase(value)
  } catch (error) {
    throw placed(error, column.name, place)
  }
}
