import type { BackfillSnapshot, IdFamily, IdGenerator, IdOf, Time, WaitOptions } from '@snoflax/core'
import { batch } from '@snoflax/core/define'
import type { UidSteps } from './steps.js'
import type { UidStep } from './time.js'

/** Generates ids of one node. If the clock steps back, ids continue with the last step until it catches up. */
export interface UidGenerator<AnId extends string> extends IdGenerator<AnId> {
  /**
   * A new id. If all 16,384 numbers of a step are used, it blocks until the next one, for at most 10 ms.
   *
   * @throws {IdError} `CLOCK_MOVED_BACK` if the clock is further behind and the last step is used up,
   * `SEQUENCE_EXHAUSTED` if the clock stands still.
   */
  generate<Of extends string = string>(): IdOf<AnId, Of>
  /** A new id, waiting without blocking for as long as necessary. Calls resolve in order; a signal aborts the wait. */
  generateAsync<Of extends string = string>(options?: WaitOptions): Promise<IdOf<AnId, Of>>
  /** `count` new ids, in order. @throws {IdError} as `generate`. */
  batch<Of extends string = string>(count: number): IdOf<AnId, Of>[]
  /**
   * An id with this time, rounded down to its step, with a number of the `backfill` shard: it repeats no id of
   * `generate`, and ids for equal times keep the order in which they were generated. Memory is bounded: the counters of
   * the last 65,536 distinct steps are kept if times only ascend, else those of a million. Between the first and the
   * last that were dropped, it throws rather than repeat an id.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME`, `SEQUENCE_EXHAUSTED` when the step's shard is used up or its
   * counter was dropped, `INVALID_OPTION` without `backfill`.
   *
   * @example
   * const ids = uid.generator({
   *   node: 'orders@10.0.0.7',
   *   backfill: { sequenceMin: 12_288, sequenceMax: 16_383 },
   * })
   * uid.time(ids.generateAt(new Date('2026-11-01'))) // 2026-11-01T00:00:00.000Z
   */
  generateAt<Of extends string = string>(time: Time): IdOf<AnId, Of>
  /** The state of `generateAt`, for a later generator; undefined before its first call. `generate` needs no state. */
  snapshot(): BackfillSnapshot | undefined
}

export function createGenerator<AnId extends string>(
  family: IdFamily<AnId>,
  steps: UidSteps,
  spell: (step: UidStep) => AnId,
): UidGenerator<AnId> {
  const generate = (): AnId => spell(steps.next())
  return {
    family,
    generate,
    generateAsync: async (options) => spell(await steps.nextAsync(options)),
    generateAt: (time) => spell(steps.at(time)),
    snapshot: steps.snapshot,
    batch: (count) => batch(family.name, generate, count),
  } as UidGenerator<AnId>
}
