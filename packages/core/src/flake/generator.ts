import type { IdFamily, IdGenerator, IdOf } from '../family.js'
import { type BackfillSnapshot, createBackfill, type SequenceBounds } from '../primitives/backfill.js'
import { batch } from '../primitives/batch.js'
import { type Clock, systemClock, type Time, toUnixMs } from '../primitives/clock.js'
import { checkInteger, fail, IdError, type IdErrorCode } from '../primitives/errors.js'
import { checkOptions, refuse } from '../primitives/options.js'
import { blockUntil, type WaitOptions, waitingQueue } from '../primitives/waiting.js'
import {
  type FlakeId,
  MAX_COUNTER,
  MAX_DATACENTER,
  MAX_ID,
  MAX_TIME,
  MAX_WORKER,
  NAME,
  speller,
} from './codec.js'

/**
 * The worker id: `id`, or its two halves `datacenter` and `worker`. No two live generators may share it.
 */
export type FlakeIdentity =
  | { readonly id: number; readonly datacenter?: never; readonly worker?: never }
  | { readonly id?: never; readonly datacenter?: number; readonly worker: number }

/** Options of `flake.generator`. */
export type FlakeGeneratorOptions = FlakeIdentity & {
  /** The largest counter, 2^n - 1 from 1 to 4095. Default 4095. A smaller one means fewer ids per millisecond. */
  readonly counterMask?: number
  /** If a millisecond is used up: `wait` blocks until the next one (default), `throw` throws. */
  readonly onOverflow?: 'wait' | 'throw'
  /**
   * If the clock is behind the last id: `wait` blocks for at most 10 ms (default), `throw` throws immediately.
   */
  readonly onClockBack?: 'wait' | 'throw'
  /**
   * Counters for `generateAt`, above those of `generate`, which `counterMask` limits. Default: those of the snapshot.
   */
  readonly backfill?: SequenceBounds
  /** The `snapshot()` of an earlier generator, so that `generateAt` repeats none of its ids. */
  readonly snapshot?: BackfillSnapshot
  /** The clock. Default `Date.now`. */
  readonly clock?: Clock
}

/** The longest that `generate` blocks. */
const MAX_BLOCK_MS = 10

/** Generates ids of one worker id. */
export interface FlakeGenerator extends IdGenerator<FlakeId> {
  /** The generator's 10-bit id, `datacenter * 32 + worker`. */
  readonly id: number
  /** The upper half of `id`, 0 to 31. */
  readonly datacenter: number
  /** The lower half of `id`, 0 to 31. */
  readonly worker: number
  /**
   * A new id.
   *
   * @throws {IdError} `SEQUENCE_EXHAUSTED`, `CLOCK_MOVED_BACK` as the options say; `TIME_OUT_OF_RANGE` if the
   * clock is before the epoch or after the last time.
   */
  generate<Of extends string = string>(): IdOf<FlakeId, Of>
  /**
   * A new id, waiting without blocking for as long as necessary, whatever the options say. Calls resolve in order; a
   * signal aborts the wait.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE` as `generate`.
   */
  generateAsync<Of extends string = string>(options?: WaitOptions): Promise<IdOf<FlakeId, Of>>
  /** `count` new ids, in order. @throws {IdError} as `generate`. */
  batch<Of extends string = string>(count: number): IdOf<FlakeId, Of>[]
  /**
   * An id with this time, rounded down to its millisecond, with a counter of the `backfill` shard: it repeats
   * no id of `generate`, and ids for equal times keep the order in which they were generated. Memory is bounded: the
   * counters of the last 65,536 distinct milliseconds are kept if times only ascend, else those of a million. Between
   * the first and the last that were dropped, it throws rather than repeat an id.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME`, `SEQUENCE_EXHAUSTED` when the millisecond's shard is used up
   * or its counter was dropped, `INVALID_OPTION` without `backfill`.
   *
   * @example
   * const ids = flake.generator({
   *   id: 7,
   *   counterMask: 2047,
   *   backfill: { sequenceMin: 2048, sequenceMax: 4095 },
   * })
   * flake.time(ids.generateAt(new Date('2026-11-01'))) // 2026-11-01T00:00:00.000Z
   */
  generateAt<Of extends string = string>(time: Time): IdOf<FlakeId, Of>
  /** The state of `generateAt`, for a later generator; undefined before its first call. `generate` needs no state. */
  snapshot(): BackfillSnapshot | undefined
}

export function createGenerator(
  family: IdFamily<FlakeId>,
  timeSince: (timeMs: number) => number,
  passed: FlakeGeneratorOptions,
): FlakeGenerator {
  const options = checkOptions(NAME, passed, {
    id: 'any',
    datacenter: 'number',
    worker: 'any',
    counterMask: 'number',
    onOverflow: ['wait', 'throw'],
    onClockBack: ['wait', 'throw'],
    backfill: 'any',
    snapshot: 'any',
    clock: 'function',
  })
  const id = identity(options)
  const maxCounter = checkMask(options.counterMask ?? MAX_COUNTER)
  const { onOverflow = 'wait', onClockBack = 'wait', clock = systemClock } = options

  const live = { sequenceMin: 0, sequenceMax: maxCounter }
  const backfill = createBackfill(NAME, live, options, MAX_COUNTER, MAX_TIME, 'counterMask: 2047, ')
  const spell = speller()
  let now = 0
  let last = -1
  let counter = 0

  /** An id, or undefined if the clock must move first. Reads the clock once. */
  const attempt = (): FlakeId | undefined => {
    now = timeSince(toUnixMs(NAME, clock()))
    if (now < last || (now === last && counter >= maxCounter)) return undefined
    counter = now === last ? counter + 1 : 0
    last = now
    return spell(now, id, counter)
  }
  const block = (): FlakeId => {
    const choice = now === last ? onOverflow : onClockBack
    const id = choice === 'wait' && last - now <= MAX_BLOCK_MS ? blockUntil(attempt, MAX_BLOCK_MS) : undefined
    if (id !== undefined) return id
    throw now === last
      ? retry('SEQUENCE_EXHAUSTED', `all ${maxCounter + 1} ids of this millisecond are used up`, 1)
      : retry('CLOCK_MOVED_BACK', 'the clock moved back', last - now)
  }
  const generate = (): FlakeId => attempt() ?? block()
  const queue = waitingQueue(NAME, () => last - now)

  return {
    family,
    id,
    datacenter: id >> 5,
    worker: id & MAX_WORKER,
    generate,
    generateAsync: (options) => queue.take(attempt, options),
    generateAt(time) {
      const units = timeSince(toUnixMs(NAME, time))
      return spell(units, id, backfill.next(units))
    },
    snapshot: backfill.snapshot,
    batch: (count) => batch(NAME, generate, count),
  } as FlakeGenerator
}

function identity({ id, datacenter, worker }: FlakeGeneratorOptions): number {
  if (id !== undefined && (datacenter !== undefined || worker !== undefined)) {
    refuse(NAME, 'id', id, 'pass id, or datacenter and worker, not both')
  }
  if (id !== undefined) return checkInteger(NAME, 'id', id, 0, MAX_ID)
  if (worker === undefined) {
    const reason = 'a generator needs its own worker id; pass { id } or { datacenter, worker }'
    fail('GENERATOR_REQUIRED', NAME, reason, undefined, 'worker')
  }
  return (
    (checkInteger(NAME, 'datacenter', datacenter ?? 0, 0, MAX_DATACENTER) << 5) |
    checkInteger(NAME, 'worker', worker, 0, MAX_WORKER)
  )
}

function checkMask(mask: number): number {
  checkInteger(NAME, 'counterMask', mask, 1, MAX_COUNTER)
  if ((mask & (mask + 1)) !== 0) {
    refuse(NAME, 'counterMask', mask, `counterMask must be 2^n - 1, not ${mask}`)
  }
  return mask
}

function retry(code: IdErrorCode, reason: string, waitMs: number): IdError {
  const advice = `retry in ${waitMs} ms, or use generateAsync(), which waits`
  return new IdError(code, `${NAME}: ${reason}; ${advice}`, { family: NAME, waitMs })
}
