import { IdError } from './errors.js'

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }

/**
 * Fills the array with random bytes, as `crypto.getRandomValues` does. The default is the platform's CSPRNG; pass
 * another source in tests only.
 */
export type RandomSource = (bytes: Uint8Array) => void

/**
 * The platform's CSPRNG.
 *
 * @throws {IdError} `UNSUPPORTED_VERSION` in a runtime without `crypto.getRandomValues`.
 *
 * @example
 * secureRandom(new Uint8Array(10))
 */
export const secureRandom: RandomSource = (bytes) => {
  if (typeof crypto === 'undefined') {
    throw new IdError(
      'UNSUPPORTED_VERSION',
      'no crypto.getRandomValues in this runtime; in React Native import react-native-get-random-values first',
      { field: 'crypto' },
    )
  }
  crypto.getRandomValues(bytes)
}

/** How many ids' bytes one call of the CSPRNG fetches, since a call costs far more than its bytes. */
const IDS_A_FETCH = 2048

/** Random bytes, none of which is used twice. */
export interface RandomPool {
  /** Overwritten when all are used, so copy what you keep. */
  readonly bytes: Uint8Array
  /** The index in `bytes` at which the next bytes begin. */
  next(): number
}

/**
 * Random bytes from the source, `size` at a time. One call of the source serves many ids.
 *
 * @example
 * const pool = randomPool(secureRandom, 7)
 * const at = pool.next()
 * pool.bytes.slice(at, at + 7).length // 7
 */
export function randomPool(source: RandomSource, size: number): RandomPool {
  const bytes = new Uint8Array(size * IDS_A_FETCH)
  let next = bytes.length
  return {
    bytes,
    next() {
      if (next === bytes.length) {
        checkFilled(bytes, source(bytes))
        next = 0
      }
      next += size
      return next - size
    },
  }
}

/** Refuses a source that returns bytes of its own, or a promise: it has not filled ours, so ids would not be random. */
function checkFilled(bytes: Uint8Array, answer: unknown): void {
  if (Object(answer) !== answer || answer === bytes) return
  throw new IdError('INVALID_OPTION', 'random must fill the array passed to it, not return another', {
    field: 'random',
    value: answer,
  })
}
