import { type Column, type GetColumnData, type Param, type Placeholder, sql } from 'drizzle-orm'
import { idsOf, isList } from './id-column/ids.js'
import type { AnyIdColumn } from './id-column/types.js'

/**
 * A placeholder in a prepared statement, for an id of the column.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids. `execute` throws for a malformed id.
 *
 * @example
 * const byId = db.select().from(orders).where(eq(orders.id, placeholder(orders.id, 'id'))).prepare('by_id')
 * await byId.execute({ id })
 */
export function placeholder<Name extends string>(column: AnyIdColumn, name: Name) {
  const of = column as unknown as Column
  idsOf(of)
  return sql.param(sql.placeholder(name), of) as Param<Placeholder<Name>, unknown>
}

/** A value of a column; of an array column, an element too. */
export type ValueOf<AColumn extends Column, Data = GetColumnData<AColumn, 'raw'>> =
  | Data
  | (Data extends readonly (infer Element)[] ? Element : never)

/**
 * An id as a parameter in a raw `sql` template; for an array column, a list of ids or one of its elements.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids. The query throws for a malformed id.
 *
 * @example
 * await db.execute(sql`SELECT total FROM orders WHERE coalesce(parent_id, id) = ${parameter(orders.id, id)}`)
 */
export function parameter<AColumn extends Column>(column: AColumn, id: ValueOf<AColumn>) {
  const ids = idsOf(column)
  const element = { mapToDriverValue: (one: unknown) => ids.toDatabase(one) }
  return sql.param(id, isElement(column, id) ? element : column)
}

/**
 * The id for a value in a row of raw SQL or of a driver; null stays null. For an array column, its list of ids, or the id
 * for one of its elements.
 *
 * @throws {IdError} for a value that is not an id of the column.
 *
 * @example
 * const { rows } = await pool.query('SELECT id FROM orders')
 * const ids = rows.map((row) => fromDatabase(orders.id, row.id))
 */
export function fromDatabase(column: Column, value: null | undefined): null
export function fromDatabase<AColumn extends Column>(
  column: AColumn,
  value: unknown,
): GetColumnData<AColumn, 'raw'>
export function fromDatabase(column: Column, value: unknown): unknown {
  const ids = idsOf(column)
  if (value == null) return null
  return isElement(column, value) ? ids.fromDatabase(value) : column.mapFromDriverValue(value)
}

/** Whether the column stores arrays and the value is neither an array nor the text of one. */
const isElement = (column: Column, value: unknown): boolean =>
  isList(column) && !Array.isArray(value) && !(typeof value === 'string' && value.startsWith('{'))
