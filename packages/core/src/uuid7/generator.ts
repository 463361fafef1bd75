import type { IdFamily } from '../family.js'
import { type MonotonicGenerator, type MonotonicOptions, momentOf, writeTime } from '../monotonic-family.js'
import { batch } from '../primitives/batch.js'
import {
  type Clock,
  checkedClock,
  checkSpan,
  systemClock,
  type Time,
  type TimeSpan,
} from '../primitives/clock.js'
import { checkOptions } from '../primitives/options.js'
import { poolOf, type RandomPool, secureRandom } from '../primitives/random.js'
import { BYTE_LENGTH } from './codec.js'

/** 18 bits: the 12 of `rand_a` and the first 6 of `rand_b`. A counter starts in its lower half. */
const MAX_COUNTER = 0x3ffff
const RANDOM_BYTES = 10

/** A generator of UUIDv7 with a clock and a source of its own. */
export function createGenerator<AnId extends string>(
  family: IdFamily<AnId>,
  encode: (bytes: Uint8Array) => AnId,
  options: MonotonicOptions = {},
): MonotonicGenerator<AnId> {
  const kinds = { clock: 'function', random: 'function' } as const
  const { clock = systemClock, random = secureRandom } = checkOptions(family.name, options, kinds)
  const pool = poolOf(random)
  const spell = speller(encode, pool)
  const generate = generating(family, spell, pool, checkedClock(family.name, clock))
  return {
    family,
    generate,
    generateAt(time: Time) {
      const timeMs = momentOf(family, time)
      const at = pool.next(RANDOM_BYTES)
      return spell(timeMs, randomCounter(pool, at), at)
    },
    batch: (count: number) => batch(family.name, generate, count),
  } as MonotonicGenerator<AnId>
}

/** Spells an id of a millisecond and a counter, with random bytes of the pool. */
type Speller<AnId> = (timeMs: number, counter: number, at: number) => AnId

/** @param encode spells the bytes, which the next id overwrites. */
export function speller<AnId extends string>(
  encode: (bytes: Uint8Array) => AnId,
  pool: RandomPool,
): Speller<AnId> {
  const bytes = new Uint8Array(BYTE_LENGTH)
  let writtenMs = 0
  return (timeMs, counter, at) => {
    if (timeMs !== writtenMs) {
      writeTime(bytes, timeMs)
      writtenMs = timeMs
    }
    bytes[6] = 0x70 | (counter >> 14)
    bytes[7] = counter >> 6
    bytes[8] = 0x80 | (counter & 0x3f)
    for (let i = 9; i < BYTE_LENGTH; i++) bytes[i] = pool.bytes[at + i - 6] as number
    return encode(bytes)
  }
}

const randomCounter = ({ bytes }: RandomPool, at: number): number =>
  ((bytes[at] as number) << 10) | ((bytes[at + 1] as number) << 2) | ((bytes[at + 2] as number) >> 6)

/**
 * UUIDv7 by RFC 9562, section 6.2, method 1: within a millisecond, and while the clock is behind, a counter of 18 bits
 * grows by 1, and 56 bits are random in each id. If the counter overflows, the time advances by a millisecond, ahead of
 * the clock. That takes at least 131,072 ids in a millisecond.
 */
export function generating<AnId extends string>(
  span: TimeSpan,
  spell: Speller<AnId>,
  pool: RandomPool,
  clock: Clock,
): () => AnId {
  let lastMs = -1
  let counter = 0
  return () => {
    const nowMs = checkSpan(span, Math.floor(clock()))
    const at = pool.next(RANDOM_BYTES, nowMs)
    if (nowMs <= lastMs && counter < MAX_COUNTER) counter++
    else {
      lastMs = nowMs > lastMs ? nowMs : checkSpan(span, lastMs + 1)
      counter = randomCounter(pool, at) >> 1
    }
    return spell(lastMs, counter, at)
  }
}
