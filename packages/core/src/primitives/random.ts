import { fail } from './errors.js'

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
    const cure = 'is missing; in React Native import react-native-get-random-values'
    fail('UNSUPPORTED_VERSION', SECURE, cure, undefined, 'crypto')
  }
  crypto.getRandomValues(bytes)
}

/** One call of the CSPRNG serves many ids, since it costs far more than its bytes. */
const POOL_BYTES = 0x4000

/** How far the clock may move against the monotonic one before bytes that were fetched earlier are dropped. */
const JUMP_MS = 1000

/** Random bytes, none of which is used twice. */
export interface RandomPool {
  /** Overwritten by later calls of `next`, also those of other generators, so copy what you keep. */
  readonly bytes: Uint8Array
  /**
   * The index in `bytes` at which the next `size` bytes begin, at most 16,384.
   *
   * Bytes fetched before a jump of the clock, or before the process was started from a snapshot, are dropped: another
   * copy of the process may use them. That is looked at when `timeMs` differs from the last call's, and always without
   * it.
   *
   * @param timeMs the current time, if you have read it anyway.
   * @throws {IdError} `INVALID_OPTION` if the source has not filled the array with random bytes.
   */
  next(size: number, timeMs?: number): number
}

let shared: RandomPool | undefined

/**
 * Random bytes from the source, which is called for the first id, and then once for about two thousand. All generators share
 * the pool of {@link secureRandom}.
 */
export const poolOf = (source: RandomSource): RandomPool =>
  source === secureRandom ? securePool() : createPool((bytes) => callSource(source, bytes), 'random')

/** Calls a source of the user's own. */
function callSource(source: RandomSource, bytes: Uint8Array): void {
  const answer: unknown = source(bytes)
  if (Object(answer) !== answer || answer === bytes) return
  fail('INVALID_OPTION', 'random', 'must fill the array passed to it, not return another', answer, 'random')
}

/** {@link poolOf} of {@link secureRandom}. */
export function securePool(): RandomPool {
  shared ??= createPool(secureRandom)
  return shared
}

function createPool(source: RandomSource, name?: string): RandomPool {
  const bytes = new Uint8Array(POOL_BYTES)
  let next = POOL_BYTES
  let fetchedAt = 0
  let fetchedIn = 0
  let lookedMs = Number.NaN
  return {
    bytes,
    next(size, timeMs = Number.NaN) {
      if (timeMs !== lookedMs) {
        lookedMs = timeMs
        const [start, origin] = startOfProcess()
        if (!(Math.abs(start - fetchedAt) < JUMP_MS && origin === fetchedIn)) next = POOL_BYTES
      }
      if (next + size > POOL_BYTES) {
        next = POOL_BYTES // so that nobody gets bytes of a fetch that fails
        fill(source, bytes, name)
        ;[fetchedAt, fetchedIn] = startOfProcess()
        next = 0
      }
      next += size
      return next - size
    },
  }
}

declare const performance: { now(): number; readonly timeOrigin: number } | undefined

/**
 * The wall clock's time minus the monotonic one's, constant but for small corrections while the process runs: it differs
 * after the clock was set, and after a copy of a virtual machine has got the time. And the origin of the monotonic clock,
 * which Node sets anew in each process that it starts from a snapshot.
 */
const startOfProcess = (): readonly [number, number] =>
  typeof performance === 'undefined' ? [0, 0] : [Date.now() - performance.now(), performance.timeOrigin]

const SECURE = 'crypto.getRandomValues'

/** By chance so many bytes are equal once in 2^120 times. */
const CHECKED = 16

/**
 * Fills the array from the source, which errors call by the name.
 *
 * @throws {IdError} `INVALID_OPTION` if the source fills nothing or only the beginning, or writes the same byte everywhere.
 */
export function fill(source: RandomSource, bytes: Uint8Array, name = SECURE): void {
  bytes.fill(0)
  source(bytes)
  const last = bytes.subarray(-CHECKED)
  if (last.every((byte) => byte === last[0])) {
    fail('INVALID_OPTION', name, `must fill the whole array; its end is all ${last[0]}`, undefined, 'random')
  }
}
