import { IdError } from './errors.js'

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }

/**
 * Fills the bytes that it is passed with random ones, as `crypto.getRandomValues` does. The default is the platform's CSPRNG; give another only in tests.
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

/** A call of the CSPRNG costs far more than the bytes of one id, so bytes are fetched for this many at once. */
const IDS_A_FETCH = 2048

/** Fresh random bytes. */
export interface RandomPool {
  /** Overwritten when they are used up: copy what you keep. */
  readonly bytes: Uint8Array
  /** Where in `bytes` the next ones begin. No byte is handed out twice. */
  next(): number
}

/**
 * Random bytes of the source, `size` at a time. One call of the source serves many ids.
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

/** A source that answers bytes of its own, or a promise, has left ours as they were, and so has no id a random part. */
function checkFilled(bytes: Uint8Array, answer: unknown): void {
  if (Object(answer) !== answer || answer === bytes) return
  throw new IdError('INVALID_OPTION', 'random must fill the bytes that it is passed, not return others', {
    field: 'random',
    value: answer,
  })
}
