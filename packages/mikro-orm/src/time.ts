import type { FilterQuery, QueryOrderMap } from '@mikro-orm/core'
import type { IdFamily, IdOf, Time } from '@snoflax/core'
import { checkKeyset } from '@snoflax/core/adapter'

/** A condition on an id property: a half-open range. */
export interface CreatedBetween<AnId extends string> {
  /** The smallest id in the range. */
  $gte: AnId
  /** The smallest id after the range; without it, the range has no end. */
  $lt?: AnId
}

/**
 * Finds rows whose ids were generated at or after `from` and before `to`. Of uid it also finds others nearby: recheck with
 * `uid.time`.
 *
 * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`.
 *
 * @example
 * await em.find(Order, { id: createdBetween(flax, new Date('2026-11-01'), new Date('2026-12-01')) })
 */
export function createdBetween<AnId extends string, Of extends string = string>(
  family: IdFamily<AnId>,
  from: Time,
  to: Time,
): CreatedBetween<IdOf<AnId, Of>> {
  const { gte, lt } = family.range<Of>(from, to)
  return lt === undefined ? { $gte: gte } : { $gte: gte, $lt: lt }
}

/**
 * Finds rows whose ids were generated at or after `time`.
 *
 * @example
 * await em.find(Order, { id: createdAfter(flax, Date.now() - 3_600_000) })
 */
export const createdAfter = <AnId extends string, Of extends string = string>(
  family: IdFamily<AnId>,
  time: Time,
): CreatedBetween<IdOf<AnId, Of>> => createdBetween<AnId, Of>(family, time, Number.POSITIVE_INFINITY)

/**
 * Finds rows whose ids were generated before `time`.
 *
 * @example
 * await em.nativeDelete(Order, { id: createdBefore(flax, new Date('2020-01-01')) })
 */
export const createdBefore = <AnId extends string, Of extends string = string>(
  family: IdFamily<AnId>,
  time: Time,
): CreatedBetween<IdOf<AnId, Of>> => createdBetween<AnId, Of>(family, Number.NEGATIVE_INFINITY, time)

/** Options of {@link keyset}. */
export interface KeysetOptions<Entity extends object, Field extends keyof Entity & string> {
  /** The id property that rows are ordered by. Default `id`. */
  readonly field?: Field
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
  /** The last id of the previous page; undefined or null for the first page. */
  readonly after?: Entity[Field] | null | undefined
  /** Rows per page. */
  readonly take: number
  /** Further conditions. */
  readonly where?: FilterQuery<Entity>
}

/**
 * Options for keyset pagination: page 1000 costs as much as page 1.
 *
 * @throws {IdError} `INVALID_OPTION` for another order, and for a `take` that is not a positive integer.
 *
 * @example
 * const first = await em.findAll(Order, keyset<Order>({ order: 'desc', take: 20 }))
 * const next = await em.findAll(Order, keyset<Order>({ order: 'desc', take: 20, after: first.at(-1)?.id }))
 */
export function keyset<Entity extends object, Field extends keyof Entity & string = 'id' & keyof Entity>(
  options: KeysetOptions<Entity, Field>,
): { where: FilterQuery<Entity>; orderBy: QueryOrderMap<Entity>; limit: number } {
  const order = checkKeyset(options, { take: 'number', field: 'any', where: 'any' })
  const { field = 'id' as Field, after, take, where = {} } = options
  const beyond = { [field]: { [order === 'asc' ? '$gt' : '$lt']: after } }
  return {
    where: (after == null ? where : { $and: [where, beyond] }) as FilterQuery<Entity>,
    orderBy: { [field]: order } as QueryOrderMap<Entity>,
    limit: take,
  }
}
