import type { IdFamily, IdOf, Time } from '@snoflax/core'
import { checkKeyset } from '@snoflax/core/adapter'
import {
  And,
  Equal,
  type FindManyOptions,
  FindOperator,
  type FindOptionsOrder,
  type FindOptionsWhere,
  LessThan,
  MoreThan,
  MoreThanOrEqual,
  type ObjectLiteral,
} from 'typeorm'

/**
 * Finds rows whose ids were generated at or after `from` and before `to`. For families whose `exactRange` is false (uid)
 * it also finds others nearby: recheck with `family.time`. If `from` is after the family's last time, it finds none.
 *
 * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`.
 *
 * @example
 * await orders.findBy({ id: createdBetween(flax, new Date('2026-11-01'), new Date('2026-12-01')) })
 */
export function createdBetween<AnId extends string, Of extends string = string>(
  family: IdFamily<AnId>,
  from: Time,
  to: Time,
): FindOperator<IdOf<AnId, Of>> {
  const { gte, lt } = family.range<Of>(from, to)
  return lt === undefined ? MoreThanOrEqual(gte) : And(MoreThanOrEqual(gte), LessThan(lt))
}

/**
 * Finds rows whose ids were generated at or after `time`: none after the family's last time. If `exactRange` is false,
 * recheck with `family.time`.
 *
 * @throws {IdError} `INVALID_TIME`.
 *
 * @example
 * await orders.findBy({ id: createdAfter(flax, Date.now() - 3_600_000) })
 */
export function createdAfter<AnId extends string, Of extends string = string>(
  family: IdFamily<AnId>,
  time: Time,
): FindOperator<IdOf<AnId, Of>> {
  return createdBetween(family, time, Number.POSITIVE_INFINITY)
}

/**
 * Finds rows whose ids were generated before `time`: all, if it is after the family's last time. If `exactRange` is
 * false, recheck with `family.time`.
 *
 * @throws {IdError} `INVALID_TIME`.
 *
 * @example
 * await orders.delete({ id: createdBefore(flax, new Date('2020-01-01')) })
 */
export function createdBefore<AnId extends string, Of extends string = string>(
  family: IdFamily<AnId>,
  time: Time,
): FindOperator<IdOf<AnId, Of>> {
  return createdBetween(family, Number.NEGATIVE_INFINITY, time)
}

/** Options of {@link keyset}. */
export interface KeysetOptions<Entity extends ObjectLiteral, Field extends keyof Entity & string> {
  /** The id property that rows are ordered by. Default `id`. */
  readonly field?: Field
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
  /** The last id of the previous page; undefined or null for the first page. */
  readonly after?: Entity[Field] | null | undefined
  /** Rows per page. */
  readonly take: number
  /** Further conditions. */
  readonly where?: FindOptionsWhere<Entity> | FindOptionsWhere<Entity>[]
}

/**
 * Find options for keyset pagination: page 1000 costs as much as page 1, and inserted or deleted rows shift no page.
 * `find` throws an IdError for a malformed `after`.
 *
 * @throws {IdError} `INVALID_OPTION` for another order, and for a `take` that is not a positive integer.
 *
 * @example
 * const first = await orders.find(keyset<Order>({ order: 'desc', take: 20 }))
 * const next = await orders.find(keyset<Order>({ order: 'desc', take: 20, after: first.at(-1)?.id }))
 */
export function keyset<
  Entity extends ObjectLiteral,
  Field extends keyof Entity & string = 'id' & keyof Entity,
>(options: KeysetOptions<Entity, Field>): Pick<FindManyOptions<Entity>, 'where' | 'order' | 'take'> {
  const direction = checkKeyset(options, { take: 'number', field: 'any', where: 'any' })
  const { field = 'id' as Field, after, take, where = {} } = options
  const beyond = direction === 'asc' ? MoreThan : LessThan
  const seek = (one: FindOptionsWhere<Entity>) =>
    after == null ? one : { ...one, [field]: both(one[field], beyond(after)) }
  return {
    where: Array.isArray(where) ? where.map(seek) : seek(where),
    order: { [field]: direction } as FindOptionsOrder<Entity>,
    take,
  }
}

function both<Value>(given: unknown, bound: FindOperator<Value>): FindOperator<Value> {
  if (given === undefined) return bound
  return And(given instanceof FindOperator ? given : Equal(given as Value), bound)
}
