import type { IdFamily, IdGenerator } from '../family.js'
import { batch } from '../primitives/batch.js'
import type { Clock } from '../primitives/clock.js'
import type { WaitOptions } from '../primitives/waiting.js'
import type { UidSteps } from './steps.js'
import type { UidStep } from './time.js'

/** Where a uid generator's time comes from. */
export interface UidClockOptions {
  /** Unix milliseconds; a fraction is used down to the microsecond. */
  readonly clock?: Clock
}

/** Makes ids of one node. The clock never runs back: while it is behind, ids carry the last step. */
export interface UidGenerator<AnId extends string> extends IdGenerator<AnId> {
  /**
   * A new id. Blocks for the next step, at most 10 ms, when all 16,384 of this one are used.
   *
   * @throws {IdError} `CLOCK_MOVED_BACK` if the clock is further behind and the last step is used up,
   * `SEQUENCE_EXHAUSTED` if the clock stands still.
   */
  generate(): AnId
  /** The same, waiting as long as it takes without blocking, in the order of the calls; a signal ends the wait. */
  generateAsync(options?: WaitOptions): Promise<AnId>
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
    batch: (count) => batch(family.name, generate, count),
  }
}
