import type { IdFamily } from '../family.js'
import { checkFamily } from '../identity.js'
import { toUnixMs } from '../primitives/clock.js'
import { checkOptions } from '../primitives/options.js'

/** Options of {@link isPlausible} and `readings`. */
export interface ReadingOptions {
  /** The current time in Unix milliseconds. Default `Date.now()`. */
  readonly nowMs?: number | undefined
}

/** Snowflake, the first widely used time-ordered id, dates from 2010. */
const FIRST_MS = /* @__PURE__ */ Date.UTC(2010)
/** How far clocks may differ. */
const DAY_MS = 86_400_000

/**
 * Whether the id's time is one at which ids are generated: from 2010 to a day after now. Ids of another family, and
 * other values that happen to have an id's form, mostly contain another time. So do ids that were generated for older
 * rows.
 *
 * @throws {IdError} for a malformed id, and `INVALID_TIME` if `nowMs` is NaN.
 *
 * @example
 * console.log(isPlausible(flax, flax.generate())) // true
 * console.log(isPlausible(flax, flax.max)) // false
 */
export function isPlausible(family: IdFamily, id: string, options: ReadingOptions = {}): boolean {
  checkFamily(family, 'isPlausible: family')
  checkOptions(family.name, options, { nowMs: 'any' })
  const { nowMs = Date.now() } = options
  const lastMs = toUnixMs(family.name, nowMs) + DAY_MS
  const timeMs = family.timeMs(id)
  return timeMs >= FIRST_MS && timeMs <= lastMs
}
