import type { Id, Time } from '@snoflax/core'
import { checkTimed, wasCreatedBetween as isBetween, timeOf } from '@snoflax/core/adapter'
import { and, Column, entityKind, type GetColumnData, gte, lt, lte, type SQL, sql } from 'drizzle-orm'
import { singleIdsOf } from './id-column/ids.js'
import type { AnyIdColumn, TimedColumn } from './id-column/types.js'

/**
 * Rows whose id was generated at or after `from` and before `to`. It compares texts, so it also selects other keys that
 * the column accepts if they sort between the ends, and more ids of families whose `exactRange` is false (uid): recheck
 * with {@link wasCreatedBetween}.
 *
 * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`.
 *
 * @example
 * await db.select().from(orders).where(createdBetween(orders.id, new Date('2026-11-01'), new Date('2026-12-01')))
 */
export function createdBetween<AColumn extends AnyIdColumn>(
  column: AColumn & TimedColumn<AColumn>,
  from: Time,
  to: Time,
): SQL {
  const of = column as unknown as Column
  const ids = singleIdsOf(of)
  const range = ids.placed(() => ids.family.range(from, to))
  const end = range.lte === undefined ? range.lt && lt(of, range.lt) : lte(of, range.lte)
  return and(gte(of, range.gte), end || undefined) as SQL
}

/**
 * Rows whose id was generated at or after the time; see {@link createdBetween}.
 *
 * @example
 * await db.select().from(orders).where(createdAfter(orders.id, Date.now() - 3_600_000))
 */
export const createdAfter = <AColumn extends AnyIdColumn>(
  column: AColumn & TimedColumn<AColumn>,
  time: Time,
): SQL => createdBetween<AnyIdColumn>(column, time, Number.POSITIVE_INFINITY)

/**
 * Rows whose id was generated before the time; see {@link createdBetween}.
 *
 * @example
 * await db.delete(orders).where(createdBefore(orders.id, new Date('2020-01-01')))
 */
export const createdBefore = <AColumn extends AnyIdColumn>(
  column: AColumn & TimedColumn<AColumn>,
  time: Time,
): SQL => createdBetween<AnyIdColumn>(column, Number.NEGATIVE_INFINITY, time)

/**
 * Whether an id was generated at or after `from` and before `to`; false for another key that the column accepts.
 *
 * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`, and for a malformed id.
 *
 * @example
 * rows.filter((row) => wasCreatedBetween(events.id, row.id, from, to))
 */
export function wasCreatedBetween<AColumn extends Column>(
  column: AColumn & TimedColumn<AColumn>,
  id: GetColumnData<AColumn, 'raw'>,
  from: Time,
  to: Time,
): boolean {
  const ids = singleIdsOf(column)
  return ids.placed(() => isBetween(ids.family, id as string, from, to))
}

/** Decodes the stored ids of a column as the times when they were generated, as a column does for Drizzle 1.0. */
class TimeOfId {
  static readonly [entityKind]: string = Column[entityKind]

  constructor(private readonly column: Column) {}

  get codec(): string | undefined {
    const { database, name } = singleIdsOf(this.column).storage
    return database === 'sqlite' && name === 'binary'
      ? 'blob'
      : (this.column as { readonly codec?: string }).codec
  }

  mapFromDriverValue(value: unknown): Date | null {
    const ids = singleIdsOf(this.column)
    return timeOf(ids.family, ids.fromDatabase(value))
  }
}

/** Whether all keys of a column may be ids of one family. */
type HasTime<Data> = string extends Data ? false : [Data] extends [Id<infer Name>] ? IsOne<Name> : true
type IsOne<Name, All = Name> = Name extends All ? ([All] extends [Name] ? true : false) : never

/** The creation time of an id; also null, if the column is nullable, accepts other keys or is typed as `string`. */
export type CreatedAt<AColumn extends Column> = AColumn['_']['notNull'] extends true
  ? HasTime<AColumn['_']['data']> extends true
    ? Date
    : Date | null
  : Date | null

/**
 * The creation time of the row's id, as a Date; null for another key that the column accepts. In SQL it is the id itself,
 * so you can sort by it too.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids or of opaque ones, and for an array column.
 *
 * @example
 * await db.select({ total: orders.total, createdAt: createdAt(orders.id) }).from(orders)
 *   .orderBy(desc(createdAt(orders.id)))
 */
export function createdAt<AColumn extends Column>(
  column: AColumn & TimedColumn<AColumn>,
): SQL<CreatedAt<AColumn>> {
  const ids = singleIdsOf(column)
  ids.placed(() => checkTimed(ids.family))
  return sql`${column}`.mapWith(new TimeOfId(column)) as SQL<CreatedAt<AColumn>>
}
