import { checkInteger, fail, refuseType, show } from './errors.js'
import { isDate } from './realms.js'

/**
 * Returns the Unix time in milliseconds, fractions allowed. If it throws, the call throws its error and the generator's
 * state is unchanged. `generate` and `batch` of sno and flake use only times that the clock has returned, so a leased
 * generator stays within its lease.
 */
export type Clock = () => number

/**
 * The default clock. It looks up `Date.now` at each call, so that fake timers work.
 *
 * @example
 * Number.isInteger(systemClock()) // true
 */
export const systemClock: Clock = () => Date.now()

/** A clock whose answers are checked, unless it is {@link systemClock}. @throws {IdError} as {@link toUnixMs}. */
export const checkedClock = (family: string, clock: Clock): Clock =>
  clock === systemClock ? clock : () => toUnixMs(family, clock())

/** The common part of `Temporal.Instant` and `Temporal.ZonedDateTime`. */
interface Instant {
  readonly epochMilliseconds: number
  readonly epochNanoseconds?: bigint
}

/** A point in time: a Date, Unix milliseconds, a `Temporal.Instant` or a `Temporal.ZonedDateTime`, of any realm. */
export type Time = Date | number | Instant

/**
 * Unix milliseconds of a time, with its fraction of a millisecond. Infinities are accepted.
 *
 * @throws {IdError} `INVALID_TYPE` for a value that is not a time, `INVALID_TIME` for NaN and invalid Dates.
 *
 * @example
 * unixMs(new Date('2026-11-01')) // 1793491200000
 */
export const unixMs = (time: Time): number => toUnixMs('time', time)

/**
 * Unix milliseconds of a time, with its fraction of a millisecond. Infinities are accepted, for bounds.
 *
 * @param family its name, for errors.
 * @throws {IdError} `INVALID_TYPE` for anything else, `INVALID_TIME` for NaN and invalid Dates.
 *
 * @example
 * toUnixMs('ticket', new Date('2026-11-01')) // 1793491200000
 */
export function toUnixMs(family: string, time: Time): number {
  const timeMs = typeof time === 'number' ? time : instantMs(family, time)
  if (Number.isNaN(timeMs)) {
    fail('INVALID_TIME', family, `a time must be a valid Date or number, not ${show(time)}`, time, 'time')
  }
  return timeMs
}

const NS_PER_MS = 1_000_000n

function instantMs(family: string, time: unknown): number {
  if (isDate(time)) return Number(time)
  const { epochMilliseconds, epochNanoseconds } = (time ?? {}) as Partial<Instant>
  if (typeof epochMilliseconds !== 'number') {
    refuseType(family, 'a time must be a Date, a Temporal.Instant or Unix milliseconds', time, 'time')
  }
  const isWhole = typeof epochNanoseconds !== 'bigint' || epochNanoseconds % NS_PER_MS === 0n
  // Any fraction: bounds round it up, ids round it down.
  return isWhole ? epochMilliseconds : epochMilliseconds + 0.5
}

/** The times that a family's ids can contain. */
export interface TimeSpan {
  /** The family's name in errors. */
  readonly name: string
  /** The first Unix millisecond that an id can contain. */
  readonly firstMs: number
  /** The last Unix millisecond that an id can contain. */
  readonly lastMs: number
}

/**
 * The time in Unix milliseconds, if an id of the family can contain it.
 *
 * @throws {IdError} `TIME_OUT_OF_RANGE`.
 *
 * @example
 * checkSpan(flax, 1793491200000) // 1793491200000
 */
export function checkSpan({ name, firstMs, lastMs }: TimeSpan, timeMs: number): number {
  if (!(timeMs >= firstMs && timeMs < lastMs + 1)) {
    const shown = Math.abs(timeMs) <= 8.64e15 ? new Date(timeMs) : timeMs
    const reason = `${show(shown)} is outside ${show(new Date(firstMs))} to ${show(new Date(lastMs))}`
    fail('TIME_OUT_OF_RANGE', name, reason, timeMs, 'time')
  }
  return timeMs
}

/**
 * Checks a time that is passed as a field. It must be exact: it is neither floored nor rounded.
 *
 * @throws {IdError} `INVALID_TYPE` for anything but a number, `INVALID_TIME`, `FIELD_OUT_OF_RANGE` for a fraction,
 * `TIME_OUT_OF_RANGE`.
 *
 * @example
 * checkTimeField(flax, 1793491200000) // 1793491200000
 */
export function checkTimeField(span: TimeSpan, timeMs: number): number {
  if (typeof timeMs !== 'number') refuseType(span.name, 'timeMs must be a number', timeMs, 'timeMs')
  checkSpan(span, toUnixMs(span.name, timeMs))
  return checkInteger(span.name, 'timeMs', timeMs, span.firstMs, span.lastMs)
}
