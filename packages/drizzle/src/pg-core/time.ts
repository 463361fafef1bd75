import { IdError, type Time } from '@snoflax/core'
import { and, type Column, type SQL, sql } from 'drizzle-orm'
import { idsOf } from '../column-ids.js'
import { sqlFunction } from '../sql-functions.js'
import * as mapped from '../time.js'

/** Where the functions of @snoflax/pg-sql are, and what they need beside the id. */
export interface TimeFunctionOptions {
  /** The schema that @snoflax/pg-sql was installed into, `snoflax` unless told otherwise. */
  readonly schema: string
  /** flake with an epoch of its own: `[epochMs]`. uid with a neighbourhood of its own: `[neighbourhood]`. */
  readonly arguments?: readonly number[]
}

/** For an expression that answers a timestamp. */
class TimeOfTimestamp extends mapped.TimeDecoder {
  mapFromDriverValue(value: unknown): Date {
    return new Date(value as string | Date)
  }
}

/**
 * When the row's id was made, as a Date. Without options it is the id that the database answers and sorts by.
 * With the schema of @snoflax/pg-sql it is a timestamp in the database too, to group, filter and compute with.
 *
 * @throws {IdError} `INVALID_OPTION` for a column that holds no ids, or lists of them.
 *
 * @example
 * const day = sql`date_trunc('day', ${createdAt(orders.id, { schema: 'snoflax' })})`
 * await db.select({ day, orders: count() }).from(orders).groupBy(day)
 */
export function createdAt(column: Column, options?: TimeFunctionOptions): SQL<Date> {
  if (options === undefined) return mapped.createdAt(column)
  return timestamp(column, options).mapWith(new TimeOfTimestamp(column))
}

/**
 * Rows whose id was made from `from` until before `to`. For families whose `exactRange` is false (uid) it selects
 * more, unless the schema of @snoflax/pg-sql is given: then the database rechecks.
 *
 * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `TIME_OUT_OF_RANGE`.
 *
 * @example
 * await db.select().from(orders).where(createdBetween(orders.id, new Date('2026-11-01'), new Date('2026-12-01')))
 */
export function createdBetween(column: Column, from: Time, to: Time, options?: TimeFunctionOptions): SQL {
  const range = mapped.createdBetween(column, from, to)
  if (options === undefined || idsOf(column).family.exactRange) return range
  const made = timestamp(column, options)
  return and(range, sql`${made} >= ${iso(from)}::timestamptz`, sql`${made} < ${iso(to)}::timestamptz`) as SQL
}

function timestamp(column: Column, { schema, arguments: more = [] }: TimeFunctionOptions): SQL {
  mapped.checkScalar(column)
  const time = sqlFunction(schema, idsOf(column).family, 'time')
  return sql`${time}(${sql.join([sql`${column}`, ...more.map((value) => wholeNumber(column, value))], sql`, `)})`
}

/** Written into the SQL, so it has to be a number at run time too. */
function wholeNumber(column: Column, value: number): SQL {
  if (Number.isSafeInteger(value)) return sql.raw(String(value))
  const { place } = idsOf(column)
  throw new IdError('INVALID_OPTION', `${place}: arguments are whole numbers, not ${JSON.stringify(value)}`, {
    field: 'arguments',
    value,
    path: place,
  })
}

const YEAR_1 = Date.parse('0001-01-01T00:00:00Z')
const LAST_DATE = 8.64e15

/** A moment as PostgreSQL reads it; fractions of a millisecond are rounded up, as for the ids of a range. */
function iso(time: Time): string {
  const timeMs = Math.ceil(Number(time))
  if (timeMs < YEAR_1) return '-infinity'
  if (timeMs > LAST_DATE) return 'infinity'
  // Years of five digits have no sign in PostgreSQL.
  return new Date(timeMs).toISOString().replace(/^\+0*/, '')
}
