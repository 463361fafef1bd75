import {
  type BackfillSnapshot,
  type Clock,
  IdError,
  type SequenceBounds,
  type Time,
  type WaitOptions,
} from '@snoflax/core'
import {
  blockUntil,
  checkSpan,
  createBackfill,
  systemClock,
  type TimeSpan,
  toUnixMs,
  waitingQueue,
} from '@snoflax/core/define'
import { MAX_SEQUENCE, STEP_US } from './layout.js'
import { stepOf, type UidStep } from './time.js'

/** Options of both kinds of uid generators. */
export interface UidStepOptions {
  /**
   * Sequence numbers for `generateAt`, up to 16383; `generate` then uses those below. Default: those of the snapshot.
   */
  readonly backfill?: SequenceBounds
  /** The `snapshot()` of an earlier generator, so that `generateAt` repeats none of its ids. */
  readonly snapshot?: BackfillSnapshot
  /** The clock, in Unix milliseconds; fractions are used to the microsecond. Default `Date.now`. */
  readonly clock?: Clock
}

export const STEP_OPTIONS = { clock: 'function', backfill: 'any', snapshot: 'any' } as const

/** The longest that `next` blocks. */
const MAX_BLOCK_MS = 10

/** A second has 977 steps. Numbering 1024 per second keeps the order and needs only a division to undo. */
const STEPS = 1024

/** Returns steps in ascending order. If the clock steps back, the last step continues until it catches up. */
export interface UidSteps {
  next(): UidStep
  nextAsync(options?: WaitOptions): Promise<UidStep>
  /** The step of a time, with a sequence number of the backfill shard. */
  at(time: Time): UidStep
  snapshot(): BackfillSnapshot | undefined
}

export function createSteps(span: TimeSpan, options: UidStepOptions): UidSteps {
  const { name: family } = span
  const { clock = systemClock } = options
  const shard = options.backfill ?? options.snapshot
  const maxSequence = shard ? Math.max(0, Math.min(shard.sequenceMin, shard.sequenceMax) - 1) : MAX_SEQUENCE
  const live = { sequenceMin: 0, sequenceMax: maxSequence }
  const backfill = createBackfill(family, live, options, MAX_SEQUENCE, stepNumber(span.lastMs))
  let now = 0
  let last = -1
  let sequence = 0

  const stepAt = (time: Time): number => stepNumber(checkSpan(span, toUnixMs(family, time)))

  /** A step, or undefined if the clock must move first. Reads the clock once. */
  const attempt = (): UidStep | undefined => {
    now = stepAt(clock())
    if (now > last) {
      last = now
      sequence = 0
    } else if (sequence < maxSequence) {
      sequence++
    } else {
      return undefined
    }
    return numbered(last, sequence)
  }

  /** Milliseconds from the clock's last reading to the step after the last one. */
  const waitMs = (): number => Math.ceil((startOf(last + 1) - startOf(now)) / 1000)

  const block = (): UidStep => {
    const step = waitMs() <= MAX_BLOCK_MS ? blockUntil(attempt, MAX_BLOCK_MS) : undefined
    if (step) return step
    if (now === last) {
      throw new IdError(
        'SEQUENCE_EXHAUSTED',
        `${family}: all ${maxSequence + 1} ids of this step are used up and the clock has not moved for ${MAX_BLOCK_MS} ms; ` +
          'retry in 2 ms, or use generateAsync(), which waits',
        { family, waitMs: 2 },
      )
    }
    throw new IdError(
      'CLOCK_MOVED_BACK',
      `${family}: the clock moved back and all ids of the last step are used up; retry in ${waitMs()} ms, ` +
        'or use generateAsync(), which waits',
      { family, waitMs: waitMs() },
    )
  }

  const queue = waitingQueue(family, waitMs)
  return {
    next: () => attempt() ?? block(),
    nextAsync: (options) => queue.take(attempt, options),
    at(time) {
      const step = stepAt(time)
      return numbered(step, backfill.next(step))
    },
    snapshot: backfill.snapshot,
  }
}

const numbered = (step: number, sequence: number): UidStep =>
  stepOf(Math.floor(step / STEPS), step % STEPS, sequence)

/** Microseconds at which a step starts. */
function startOf(step: number): number {
  return Math.floor(step / STEPS) * 1_000_000 + (step % STEPS) * STEP_US
}

function stepNumber(timeMs: number): number {
  const microSeconds = Math.round(timeMs * 1000)
  return Math.floor(microSeconds / 1_000_000) * STEPS + Math.floor((microSeconds % 1_000_000) / STEP_US)
}
