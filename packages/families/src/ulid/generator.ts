import { IdError, type IdFamily } from '@snoflax/core'
import { batch, checkOptions, randomPool, secureRandom, systemClock } from '@snoflax/core/define'
import { BYTE_LENGTH } from '../crockford.js'
import { type MonotonicGenerator, type MonotonicOptions, momentOf, writeTime } from '../time-field.js'
import { NAME, RANDOM_BYTES, spell, type Ulid } from './codec.js'

const RANDOM_AT = BYTE_LENGTH - RANDOM_BYTES

/**
 * As the specification has it: within a millisecond, and while the clock is behind, the random part grows by 1; where
 * it would run over, generation fails.
 */
export function createGenerator(
  family: IdFamily<Ulid>,
  options: MonotonicOptions = {},
): MonotonicGenerator<Ulid> {
  checkOptions(NAME, options, { clock: 'function', random: 'function' })
  const { clock = systemClock, random = secureRandom } = options
  const pool = randomPool(random, RANDOM_BYTES)
  const last = new Uint8Array(BYTE_LENGTH)
  let lastMs = -1

  const fill = (bytes: Uint8Array, timeMs: number): void => {
    const at = pool.next()
    writeTime(bytes, timeMs)
    for (let i = 0; i < RANDOM_BYTES; i++) bytes[RANDOM_AT + i] = pool.bytes[at + i] as number
  }
  const generate = (): Ulid => {
    const nowMs = momentOf(family, clock())
    if (nowMs > lastMs) {
      fill(last, nowMs)
      lastMs = nowMs
    } else if (!increment(last)) throw exhausted(lastMs + 1 - nowMs)
    return spell(last)
  }
  return {
    family,
    generate,
    generateAt(time) {
      const bytes = new Uint8Array(BYTE_LENGTH)
      fill(bytes, momentOf(family, time))
      return spell(bytes)
    },
    batch: (count) => batch(NAME, generate, count),
  }
}

/** Adds 1 to the random part; false, and nothing changed, where it would run over. */
function increment(bytes: Uint8Array): boolean {
  let i = BYTE_LENGTH - 1
  while (i >= RANDOM_AT && bytes[i] === 0xff) i--
  if (i < RANDOM_AT) return false
  bytes[i] = (bytes[i] as number) + 1
  bytes.fill(0, i + 1)
  return true
}

function exhausted(waitMs: number): IdError {
  return new IdError(
    'SEQUENCE_EXHAUSTED',
    `${NAME}: the random part of this millisecond has reached its end; ids are possible again in ${waitMs} ms`,
    { family: NAME, waitMs },
  )
}
