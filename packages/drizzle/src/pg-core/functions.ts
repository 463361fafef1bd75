import type { IdFamily, Time } from '@snoflax/core'
import {
  checkOptions,
  checkSchema,
  DEFAULT_SCHEMA,
  isAccepting,
  isPrefixed,
  sqlFunction,
  unixMs,
} from '@snoflax/core/adapter'
import { and, type Column, type GetColumnData, type SQL, sql } from 'drizzle-orm'
import { idsOf, singleIdsOf } from '../id-column/ids.js'
import type { AnyIdColumn, TimedColumn } from '../id-column/types.js'
import * as mapped from '../time.js'

/** Options of what calls functions of @snoflax/pg-sql. */
export interface FunctionOptions {
  /** The schema that it was installed into. Default `snoflax`. */
  readonly schema?: string
}

/**
 * The creation time of the row's id, as a Date. In SQL it is the id itself, so you can sort by it. With `schema` it is a
 * timestamp in SQL, which you can group by and compute with; compare it with ISO texts, since postgres.js accepts no Date
 * there.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids, and for an array column.
 *
 * @example
 * const day = sql`date_trunc('day', ${createdAt(orders.id, { schema: 'snoflax' })})`
 * await db.select({ day, orders: count() }).from(orders).groupBy(day)
 */
export function createdAt<AColumn extends Column>(
  column: AColumn & TimedColumn<AColumn>,
  options?: Required<FunctionOptions>,
): SQL<mapped.CreatedAt<AColumn>> {
  const plain = mapped.createdAt<Column>(column) as SQL<mapped.CreatedAt<AColumn>>
  if (options === undefined) return plain
  const toDate = (value: unknown) => new Date(value as string | Date)
  return timestamp(column, options).mapWith(toDate) as SQL<mapped.CreatedAt<AColumn>>
}

/**
 * Rows whose id was generated at or after `from` and before `to`. For families whose `exactRange` is false (uid) it
 * selects more; with `schema`, the database rechecks them.
 *
 * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `TIME_OUT_OF_RANGE`.
 *
 * @example
 * await db.select().from(orders).where(createdBetween(orders.id, new Date('2026-11-01'), new Date('2026-12-01')))
 */
export function createdBetween<AColumn extends AnyIdColumn>(
  column: AColumn & TimedColumn<AColumn>,
  from: Time,
  to: Time,
  options?: Required<FunctionOptions>,
): SQL {
  const range = mapped.createdBetween<AnyIdColumn>(column, from, to)
  const of = column as unknown as Column
  if (options === undefined || idsOf(of).family.exactRange) return range
  const created = timestamp(of, options)
  return and(
    range,
    sql`${created} >= ${iso(from)}::timestamptz`,
    sql`${created} < ${iso(to)}::timestamptz`,
  ) as SQL
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
export const minId = <AColumn extends Column>(column: AColumn, options?: FunctionOptions) =>
  aggregate('min', column, options)

/** The largest id; see {@link minId}. @example db.select({ id: maxId(orders.id) }).from(orders) */
export const maxId = <AColumn extends Column>(column: AColumn, options?: FunctionOptions) =>
  aggregate('max', column, options)

function aggregate<AColumn extends Column>(
  name: 'min' | 'max',
  column: AColumn,
  options: FunctionOptions = {},
): SQL<GetColumnData<AColumn, 'raw'> | null> {
  const { schema = DEFAULT_SCHEMA } = checkOptions(`${name}Id`, options, { schema: 'any' })
  const { type } = singleIdsOf(column).storage.column
  const isOurs = type === 'uuid' || type === 'bytea'
  const call = sql.raw(isOurs ? `${checkSchema(schema)}.${name}` : name)
  return sql`${call}(${column})`.mapWith(column) as SQL<GetColumnData<AColumn, 'raw'> | null>
}

function timestamp(column: Column, options: Required<FunctionOptions>): SQL {
  const { schema } = checkOptions('createdAt', options, { schema: 'any' })
  const { family, storage } = singleIdsOf(column)
  const call = (verb: string, ...settings: readonly unknown[]): SQL =>
    sql`${sql.raw(sqlFunction(family, verb, schema))}(${sql.join([column, ...settings.map((value) => sql.raw(String(value)))], sql`, `)})`
  const time = call('time', ...settingsOf(family))
  if (!isAccepting(family)) return time
  if (storage.name !== 'text') return sql`case when ${call('is_valid')} then ${time} end`
  const isValid = call('is_valid', ...(isPrefixed(family) ? [`'${family.prefix}'`] : []))
  // Without a prefix it is true of ids behind any, which are other keys.
  const length = sql.raw(String(family.own.textLength))
  return sql`case when ${isValid} and char_length(${column}) = ${length} then ${time} end`
}

/** Arguments for what ids don't contain: their epoch or neighbourhood. */
function settingsOf(family: IdFamily): readonly number[] {
  if ('withEpoch' in family) return [family.layout.epochMs]
  return 'neighbourhood' in family ? [Number(family.neighbourhood)] : []
}

const YEAR_1 = Date.parse('0001-01-01T00:00:00Z')
const LAST_DATE = 8.64e15

/** A time as PostgreSQL reads it; fractions of a millisecond are rounded up, as for the ids of a range. */
function iso(time: Time): string {
  const timeMs = Math.ceil(unixMs(time))
  if (timeMs < YEAR_1) return '-infinity'
  if (timeMs > LAST_DATE) return 'infinity'
  // Years of five digits have no sign in PostgreSQL.
  return new Date(timeMs).toISOString().replace(/^\+0*/, '')
}
