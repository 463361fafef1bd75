import type { IdFamily } from '../family.js'
import { isOpaque, ownOf } from '../identity.js'
import { type Time, unixMs } from '../primitives/clock.js'

/**
 * When an id was generated; null for another key that its column accepts.
 *
 * @throws {IdError} as the family's `parse`, for a text that is neither.
 *
 * @example
 * timeOf(accepting(flax, /[a-z0-9]{24}/), 'tz4a98xxat96iws9zmbrgj3a') // null
 */
export function timeOf(family: IdFamily, id: string): Date | null {
  const own = ownOf(family)
  return own === family || own.is(id) || !family.is(id) ? own.time(id) : null
}

/**
 * Whether an id was generated at or after `from` and before `to`; false for another key that its column accepts.
 *
 * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`, and for a malformed id.
 *
 * @example
 * wasCreatedBetween(flax, 'Kpcan0M1FakODT4k', new Date('2026-01-01'), new Date('2027-01-01')) // true
 */
export function wasCreatedBetween(family: IdFamily, id: string, from: Time, to: Time): boolean {
  // Refuses invalid times.
  family.range(from, to)
  const own = ownOf(family)
  if (!own.is(family.parse(id))) return false
  const timeMs = own.timeMs(id)
  return timeMs >= unixMs(from) && timeMs < unixMs(to)
}

/**
 * Refuses opaque ids, where something is declared that needs their time.
 *
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * checkTimed(flax) // undefined
 */
export function checkTimed(family: IdFamily): void {
  if (isOpaque(family)) family.time('')
}
