import type { IdFamily, IdGenerator, IdOf } from '../family.js'
import { type MonotonicOptions, momentOf } from '../monotonic-family.js'
import { batch } from '../primitives/batch.js'
import { type Clock, checkedClock, checkSpan, systemClock, type Time } from '../primitives/clock.js'
import { checkOptions } from '../primitives/options.js'
import { poolOf, type RandomPool, secureRandom } from '../primitives/random.js'
import { type FlaxId, NAME, SPAN, spell } from './codec.js'
import { RANDOM_BYTES } from './layout.js'

/** Options of `flax.generator`. */
export interface FlaxGeneratorOptions extends MonotonicOptions {
  /** Each id is larger than the previous one, even within a millisecond and if the clock steps back. */
  readonly monotonic?: boolean
}

/** Generates flax ids. */
export interface FlaxGenerator extends IdGenerator<FlaxId> {
  /** A new id. @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME` if the clock returns such a time. */
  generate<Of extends string = string>(): IdOf<FlaxId, Of>
  /** `count` new ids, in order. @throws {IdError} as `generate`. */
  batch<Of extends string = string>(count: number): IdOf<FlaxId, Of>[]
  /**
   * An id with this time, rounded down to its millisecond. Never monotonic.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME`.
   */
  generateAt<Of extends string = string>(time: Time): IdOf<FlaxId, Of>
}

export function createGenerator(family: IdFamily<FlaxId>, options: FlaxGeneratorOptions = {}): FlaxGenerator {
  const kinds = { monotonic: 'boolean', clock: 'function', random: 'function' } as const
  const { monotonic = false, clock = systemClock, random = secureRandom } = checkOptions(NAME, options, kinds)
  const pool = poolOf(random)
  const generateAt = (time: Time): FlaxId => spell(momentOf(SPAN, time), pool.bytes, pool.next(RANDOM_BYTES))
  const generate = (monotonic ? increasing : generating)(pool, checkedClock(NAME, clock))
  return { family, generate, generateAt, batch: (count) => batch(NAME, generate, count) } as FlaxGenerator
}

/** Ids of a clock's milliseconds. */
export function generating(pool: RandomPool, clock: Clock): () => FlaxId {
  let timeMs = Number.NaN
  return () => {
    const nowMs = clock()
    if (nowMs !== timeMs) timeMs = checkSpan(SPAN, nowMs)
    return spell(timeMs, pool.bytes, pool.next(RANDOM_BYTES, timeMs))
  }
}

/**
 * Bytes of a monotonic step: the next id is one of 2^40, and 65,000 steps fit a millisecond.
 */
const STEP_BYTES = 5

/**
 * Within a millisecond, or while the clock is behind, the random part grows by a random step. If it overflows, the time
 * advances by a millisecond, ahead of the clock if necessary, with a new random part.
 */
function increasing(pool: RandomPool, clock: Clock): () => FlaxId {
  const last = new Uint8Array(RANDOM_BYTES)
  let lastMs = Number.NEGATIVE_INFINITY

  const restart = (timeMs: number): void => {
    const offset = pool.next(RANDOM_BYTES, timeMs)
    lastMs = checkSpan(SPAN, timeMs)
    last.set(pool.bytes.subarray(offset, offset + RANDOM_BYTES))
  }

  return () => {
    const nowMs = checkSpan(SPAN, Math.floor(clock()))
    if (nowMs > lastMs) restart(nowMs)
    else if (!addStep(last, pool.bytes, pool.next(STEP_BYTES, nowMs))) {
      last.fill(0xff) // so that a restart that fails, after the last time, fails again
      restart(lastMs + 1)
    }
    return spell(lastMs, last, 0)
  }
}

/** Adds 1 and the step's bytes to the number; false if it overflows. */
function addStep(number: Uint8Array, step: Uint8Array, offset: number): boolean {
  let carry = 1
  for (let i = RANDOM_BYTES - 1; i >= 0; i--) {
    const at = i - RANDOM_BYTES + STEP_BYTES
    const addend = at < 0 ? 0 : (step[offset + at] as number)
    const sum = (number[i] as number) + addend + carry
    number[i] = sum
    carry = sum >> 8
  }
  return carry === 0
}
