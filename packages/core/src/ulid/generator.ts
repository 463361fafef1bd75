import type { IdFamily } from '../family.js'
import { type MonotonicGenerator, type MonotonicOptions, momentOf } from '../monotonic-family.js'
import { batch } from '../primitives/batch.js'
import { readUint } from '../primitives/bytes.js'
import { systemClock, type Time } from '../primitives/clock.js'
import { IdError } from '../primitives/errors.js'
import { checkOptions } from '../primitives/options.js'
import { poolOf, secureRandom } from '../primitives/random.js'
import { NAME, pack, RANDOM_BYTES, spellWords, type Ulid } from './codec.js'

const TIME_WORD = 0x200_0000
const RANDOM_WORD = 0x10_0000

/**
 * Follows the specification: within a millisecond, and while the clock is behind, the random part grows by 1; if it would
 * overflow, generation fails. The random part is stored in words of 20 bits, four characters each.
 */
export function createGenerator(
  family: IdFamily<Ulid>,
  options: MonotonicOptions = {},
): MonotonicGenerator<Ulid> {
  const kinds = { clock: 'function', random: 'function' } as const
  const { clock = systemClock, random = secureRandom } = checkOptions(NAME, options, kinds)
  const pool = poolOf(random)
  let lastMs = -1
  let timeHigh = 0
  let timeLow = 0
  let a = 0
  let b = 0
  let c = 0
  let d = 0

  const restart = (timeMs: number): void => {
    const at = pool.next(RANDOM_BYTES, timeMs)
    const high = readUint(pool.bytes, at, 5)
    const low = readUint(pool.bytes, at + 5, 5)
    timeHigh = Math.floor(timeMs / TIME_WORD)
    timeLow = timeMs % TIME_WORD
    a = Math.floor(high / RANDOM_WORD)
    b = high % RANDOM_WORD
    c = Math.floor(low / RANDOM_WORD)
    d = low % RANDOM_WORD
    lastMs = timeMs
  }
  /** Adds 1 to the random part. Returns false, without a change, if it would overflow. */
  const increment = (): boolean => {
    const max = RANDOM_WORD - 1
    if (d < max) d++
    else if (c < max) [c, d] = [c + 1, 0]
    else if (b < max) [b, c, d] = [b + 1, 0, 0]
    else if (a < max) [a, b, c, d] = [a + 1, 0, 0, 0]
    else return false
    return true
  }
  const generate = (): Ulid => {
    const nowMs = momentOf(family, clock())
    if (nowMs > lastMs) restart(nowMs)
    else if (!increment()) throw exhausted(lastMs + 1 - nowMs)
    return spellWords(timeHigh, timeLow, a, b, c, d)
  }
  return {
    family,
    generate,
    generateAt(time: Time) {
      const timeMs = momentOf(family, time)
      const at = pool.next(RANDOM_BYTES)
      return pack({ timeMs, random: pool.bytes.subarray(at, at + RANDOM_BYTES) })
    },
    batch: (count: number) => batch(NAME, generate, count),
  } as MonotonicGenerator<Ulid>
}

function exhausted(waitMs: number): IdError {
  const message = `${NAME}: the random part of this millisecond is used up; retry in ${waitMs} ms`
  return new IdError('SEQUENCE_EXHAUSTED', message, { family: NAME, waitMs })
}
