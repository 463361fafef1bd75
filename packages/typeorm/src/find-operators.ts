import type { IdFamily, Time } from '@snoflax/core'
import { And, type FindOperator, LessThan, MoreThanOrEqual } from 'typeorm'

/**
 * Finds ids that were made from a moment on, and before another: `from <= time(id) < to`.
 * For a family whose `exactRange` is false it finds some more: recheck with `family.time`.
 *
 * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `TIME_OUT_OF_RANGE` after the family's last
 * moment.
 *
 * @example
 * await orders.findBy({ id: createdBetween(flax, new Date('2026-11-01'), new Date('2026-12-01')) })
 */
export function createdBetween<AnId extends string>(
  family: IdFamily<AnId>,
  from: Time,
  to: Time,
): FindOperator<AnId> {
  const { gte, lt } = family.range(from, to)
  return And(MoreThanOrEqual(gte), LessThan(lt))
}

/**
 * Finds ids that were made at a moment or after it. Where `exactRange` is false, recheck with `family.time`.
 *
 * @throws {IdError} `TIME_OUT_OF_RANGE` after the family's last moment, `INVALID_TIME`.
 *
 * @example
 * await orders.findBy({ id: createdAfter(flax, Date.now() - 3_600_000) })
 */
export function createdAfter<AnId extends string>(family: IdFamily<AnId>, time: Time): FindOperator<AnId> {
  return MoreThanOrEqual(family.lowerBound(time))
}

/**
 * Finds ids that were made before a moment. Where `exactRange` is false, recheck with `family.time`.
 *
 * @throws {IdError} `TIME_OUT_OF_RANGE` after the family's last moment, `INVALID_TIME`.
 *
 * @example
 * await orders.delete({ id: createdBefore(flax, new Date('2020-01-01')) })
 */
export function createdBefore<AnId extends string>(family: IdFamily<AnId>, time: Time): FindOperator<AnId> {
  return LessThan(family.upperBound(time))
}
