import { checkOptions, checkSchema, DEFAULT_SCHEMA } from '@snoflax/core/adapter'
import { type Column, type GetColumnData, type SQL, sql } from 'drizzle-orm'
import { singleIdsOf } from '../id-column/ids.js'

/** Options of {@link minId} and {@link maxId}. */
export interface EndsOptions {
  /** The schema of the aggregates of @snoflax/pg-sql. Default `snoflax`. */
  readonly schema?: string
}

/**
 * The smallest id; null without rows. PostgreSQL has no `min` for uuid, and none for bytea before version 18: there it
 * calls the aggregates of @snoflax/pg-sql, which use the index too.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids.
 *
 * @example
 * const [ends] = await db.select({ first: minId(orders.id), last: maxId(orders.id) }).from(orders)
 */
export const minId = <AColumn extends Column>(column: AColumn, options?: EndsOptions) =>
  end('min', column, options)

/**
 * The largest id; see {@link minId}.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids.
 *
 * @example
 * const [newest] = await db.select({ id: maxId(orders.id, { schema: 'snoflax' }) }).from(orders)
 */
export const maxId = <AColumn extends Column>(column: AColumn, options?: EndsOptions) =>
  end('max', column, options)

function end<AColumn extends Column>(
  name: 'min' | 'max',
  column: AColumn,
  options: EndsOptions = {},
): SQL<GetColumnData<AColumn, 'raw'> | null> {
  checkOptions(`${name}Id`, options, { schema: 'any' })
  const { schema = DEFAULT_SCHEMA } = options
  const { type } = singleIdsOf(column).storage.column
  const isOurs = type === 'uuid' || type === 'bytea'
  const aggregate = sql.raw(isOurs ? `${checkSchema(schema)}.${name}` : name)
  return sql`${aggregate}(${column})`.mapWith(column) as SQL<GetColumnData<AColumn, 'raw'> | null>
}
