import { type Clock, checkSpan, type TimeSpan, toUnixMs } from '../primitives/clock.js'
import { IdError } from '../primitives/errors.js'
import { blockUntil, WaitingQueue, type WaitOptions } from '../primitives/waiting.js'
import { MAX_SEQUENCE, STEP_US } from './layout.js'
import { stepOf, type UidStep } from './time.js'

/** The longest that `next` blocks. */
const MAX_BLOCK_MS = 10

/** A second has 977 steps. Numbered as 1024 they keep their order and are told apart by division alone. */
const STEPS = 1024

/**
 * Gives out steps in ascending order. The clock never runs back: while it is behind, the last step goes on.
 */
export class UidSteps {
  private now = 0
  private last = -1
  private sequence = 0
  private readonly queue = new WaitingQueue(() => this.waitMs)

  constructor(
    private readonly span: TimeSpan,
    private readonly clock: Clock,
  ) {}

  next(): UidStep {
    return this.attempt() ?? this.block()
  }

  nextAsync(options?: WaitOptions): Promise<UidStep> {
    return this.queue.take(() => this.attempt(), options)
  }

  /** A step, or undefined if the clock must move first. Reads the clock once. */
  private attempt(): UidStep | undefined {
    const { name } = this.span
    this.now = stepNumber(checkSpan(this.span, toUnixMs(name, this.clock())))
    if (this.now > this.last) {
      this.last = this.now
      this.sequence = 0
    } else if (this.sequence < MAX_SEQUENCE) {
      this.sequence++
    } else {
      return undefined
    }
    return stepOf(Math.floor(this.last / STEPS), this.last % STEPS, this.sequence)
  }

  private block(): UidStep {
    const step = this.waitMs <= MAX_BLOCK_MS ? blockUntil(() => this.attempt(), MAX_BLOCK_MS) : undefined
    if (step !== undefined) return step
    throw this.now === this.last ? this.exhausted() : this.movedBack(this.waitMs)
  }

  /** How long the clock needs, going by its last reading, to the step after the last one. */
  private get waitMs(): number {
    return Math.ceil((startOf(this.last + 1) - startOf(this.now)) / 1000)
  }

  private exhausted(): IdError {
    const { name } = this.span
    return new IdError(
      'SEQUENCE_EXHAUSTED',
      `${name}: all ${MAX_SEQUENCE + 1} ids of this step are used and the clock stood still for ${MAX_BLOCK_MS} ms`,
      { family: name, waitMs: 2 },
    )
  }

  private movedBack(waitMs: number): IdError {
    const { name } = this.span
    return new IdError(
      'CLOCK_MOVED_BACK',
      `${name}: the clock is behind and the last step is used up, ids are possible again in ${waitMs} ms; ` +
        'generateAsync() waits',
      { family: name, waitMs },
    )
  }
}

/** Microseconds at which a step starts. */
function startOf(step: number): number {
  return Math.floor(step / STEPS) * 1_000_000 + (step % STEPS) * STEP_US
}

function stepNumber(timeMs: number): number {
  const microSeconds = Math.round(timeMs * 1000)
  return Math.floor(microSeconds / 1_000_000) * STEPS + Math.floor((microSeconds % 1_000_000) / STEP_US)
}
