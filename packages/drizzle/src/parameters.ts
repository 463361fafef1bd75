import type { DatabaseValue } from '@snoflax/core'
import { type Column, type GetColumnData, type Param, type Placeholder, sql } from 'drizzle-orm'
import { idsOf } from './id-column/ids.js'
import type { AnyIdColumn } from './id-column/types.js'

/**
 * A placeholder of a prepared statement that takes ids of the column.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids. A malformed id is an IdError of `execute`.
 *
 * @example
 * const byId = db.select().from(orders).where(eq(orders.id, placeholder(orders.id, 'id'))).prepare('by_id')
 * await byId.execute({ id })
 */
export const placeholder = <Name extends string>(
  column: AnyIdColumn,
  name: Name,
): Param<Placeholder<Name>, unknown> =>
  sql.param(sql.placeholder(name), encoder(column as unknown as Column)) as Param<Placeholder<Name>, unknown>

/**
 * An id, or a list for an array column, as a parameter of a raw `sql` template.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids. A malformed id is an IdError of the query.
 *
 * @example
 * await db.execute(sql`SELECT total FROM orders WHERE coalesce(parent_id, id) = ${parameter(orders.id, id)}`)
 */
export const parameter = <AColumn extends Column>(column: AColumn, id: GetColumnData<AColumn, 'raw'>) =>
  sql.param(id, encoder(column))

/**
 * The value that a driver takes for an id of the column; for a list, where the column holds lists.
 *
 * @throws {IdError} for a malformed id.
 *
 * @example
 * await pool.query('SELECT total FROM orders WHERE id = $1', [toDatabase(orders.id, id)])
 */
export const toDatabase = <AColumn extends Column>(column: AColumn, id: GetColumnData<AColumn, 'raw'>) =>
  encoder(column).mapToDriverValue(id) as DatabaseValue

/**
 * The id in a row that raw SQL or a driver answered; null stays null.
 *
 * @throws {IdError} for a value that is no id.
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
  return value == null ? null : encoder(column).mapFromDriverValue(value)
}

function encoder(column: Column): Column {
  idsOf(column)
  return column
}
