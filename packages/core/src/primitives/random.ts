import { IdError } from './errors.js'

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }

/**
 * Fills the whole array with random bytes, as `crypto.getRandomValues` does. The default is the platform's CSPRNG; pass
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

/** How far the clock may move against the monotonic one before bytes that were fetched earlier are dropped. */
const JUMP_MS = 1000

/** Random bytes, none of which is used twice. */
export interface RandomPool {
  /** Overwritten when all are used, so copy what you keep. */
  readonly bytes: Uint8Array
  /**
   * The index in `bytes` at which the next bytes begin.
   *
   * Bytes fetched before a jump of the clock are dropped: this may be a copy of the process, and another one may use
   * them. That is looked at when `timeMs` differs from the last call's, and always without it.
   *
   * @param timeMs the current time, if you have read it anyway.
   * @throws {IdError} `INVALID_OPTION` if the source has not filled the array with random bytes.
   */
  next(timeMs?: number): number
}

/**
 * Random bytes from the source, `size` at a time. One call of the source serves many ids; the first call is made for
 * the first id.
 *
 * @example
 * const pool = randomPool(secureRandom, 7)
 * const at = pool.next()
 * pool.bytes.slice(at, at + 7).length // 7
 */
export function randomPool(source: RandomSource, size: number): RandomPool {
  const bytes = new Uint8Array(size * IDS_A_FETCH)
  let next = bytes.length
  let fetchedAt = Number.NaN
  let lookedMs = Number.NaN
  return {
    bytes,
    next(timeMs = Number.NaN) {
      if (timeMs !== lookedMs) {
        lookedMs = timeMs
        if (Math.abs(wallAgainstMonotonic() - fetchedAt) >= JUMP_MS) next = bytes.length
      }
      if (next === bytes.length) {
        fill(source, bytes)
        fetchedAt = wallAgainstMonotonic()
        next = 0
      }
      next += size
      return next - size
    },
  }
}

declare const performance: { now(): number } | undefined

/**
 * Constant while the process runs. Differs after the clock was set, after a copy of a virtual machine has got the time,
 * and in a process started from a V8 snapshot, since the monotonic clock counts from the start of the process.
 */
const wallAgainstMonotonic = (): number =>
  typeof performance === 'undefined' ? 0 : Date.now() - performance.now()

/** By chance so many bytes are equal once in 2^120 times. */
const CHECKED = 16

/**
 * Fills the array from the source.
 *
 * @throws {IdError} `INVALID_OPTION` if the source returns something else instead, fills nothing or only the beginning,
 * or writes the same byte everywhere.
 */
export function fill(source: RandomSource, bytes: Uint8Array): void {
  bytes.fill(0)
  const answer: unknown = source(bytes)
  if (Object(answer) === answer && answer !== bytes) {
    refuse(source, 'must fill the array passed to it, not return another', answer)
  }
  const last = bytes.subarray(-CHECKED)
  if (last.every((byte) => byte === last[0])) {
    refuse(
      source,
      `must fill the whole array passed to it with random bytes; the last ${last.length} of ${bytes.length} are all ${last[0]}`,
    )
  }
}

function refuse(source: RandomSource, what: string, value?: unknown): never {
  const name = source === secureRandom ? 'crypto.getRandomValues' : 'random'
  throw new IdError('INVALID_OPTION', `${name} ${what}`, { field: 'random', value })
}
