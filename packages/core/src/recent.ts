import type { IdFamily } from './family.js'
import { checkFamily, isOpaque } from './identity.js'
import { type Clock, systemClock } from './primitives/clock.js'
import { fail, IdError, show } from './primitives/errors.js'
import { checkOptions, refuse } from './primitives/options.js'
import { standardSchema } from './primitives/standard-schema.js'

/** Options of {@link recent}. */
export interface RecentOptions {
  /** How old an id may be, in milliseconds: how long a client may be offline. */
  readonly maxAgeMs: number
  /** How far ahead of this clock its time may be, in milliseconds. Default: 5 minutes. */
  readonly clockToleranceMs?: number
  /** Tells the time. Default: the system's. */
  readonly clock?: Clock
}

const FIVE_MINUTES_MS = 300_000

/**
 * The family for ids that clients generate: `parse`, `is`, and validators also refuse what was not generated lately by this
 * clock, so that nobody plants keys that sort after all others for years. For the route that creates rows only: reads, other
 * routes and columns take the family itself, and columns refuse this one.
 *
 * @throws {IdError} `INVALID_OPTION`; its `parse` the errors of the family's, and `IMPLAUSIBLE_TIME`, with status 400.
 *
 * @example
 * const customerId = prefixed(flax, 'cus')
 * const newCustomerId = recent(customerId, { maxAgeMs: 7 * 86_400_000 })
 * newCustomerId.parse(customerId.generate())
 * newCustomerId.is(customerId.generateAt(new Date('2049-01-01'))) // false
 */
export function recent<Family extends IdFamily>(family: Family, options: RecentOptions): Family {
  checkFamily(family, 'recent: family')
  const { name } = family
  const {
    maxAgeMs,
    clockToleranceMs = FIVE_MINUTES_MS,
    clock = systemClock,
  } = checkOptions(name, options, { maxAgeMs: 'number', clockToleranceMs: 'number', clock: 'function' })
  for (const [option, value] of Object.entries({ maxAgeMs, clockToleranceMs })) {
    if (!(value >= 0))
      refuse(name, option, value, `${option} must be 0 or more milliseconds, not ${show(value)}`)
  }
  const whole: IdFamily = family
  if (isOpaque(whole)) refuse(name, 'family', name, 'ids of opaque() have no time to check')
  const faultOf = (id: string): string | undefined => {
    const timeMs = knownTimeMs(whole, id)
    if (timeMs === undefined) return 'has no time'
    const aheadMs = timeMs - clock()
    const at = `is of ${new Date(timeMs).toISOString()}`
    if (aheadMs > clockToleranceMs) return `${at}, more than ${clockToleranceMs} ms ahead of this clock`
    return aheadMs < -maxAgeMs ? `${at}, more than ${maxAgeMs} ms ago` : undefined
  }
  const is = (value: unknown): value is string => whole.is(value) && faultOf(value) === undefined
  const parse = (value: unknown): string => {
    const id = whole.parse(value)
    const fault = faultOf(id)
    return fault === undefined ? id : fail('IMPLAUSIBLE_TIME', name, `${show(id)} ${fault}`, id)
  }
  return Object.create(
    family,
    Object.getOwnPropertyDescriptors({
      storages: [],
      is,
      parse,
      '~standard': standardSchema(is, parse, whole.pattern, whole.textLength),
    }),
  )
}

/** The time of an id; undefined for what has none: UUIDs of version 4, accepted keys, opaque ids. */
export function knownTimeMs(family: IdFamily, id: string): number | undefined {
  try {
    const timeMs = family.timeMs(id)
    return Number.isNaN(timeMs) ? undefined : timeMs
  } catch (error) {
    if (error instanceof IdError) return undefined
    throw error
  }
}
