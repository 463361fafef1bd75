import type { LeasableFamily } from './families.js'
import type { LeaseOptions } from './options.js'
import { pause, unlessAborted, within } from './timing.js'

/** The monotonic clock, which never steps. */
declare const performance: { now(): number }

const DEFAULT_WAIT_MS = 10_000
/** The longest pause between two attempts, since holders may release numbers at any time. */
const LONGEST_PAUSE_MS = 1000

/** The time that a call may spend waiting, by the monotonic clock, and its `onWait` listener. */
export class Waiting {
  private readonly beganMs = performance.now()

  constructor(private readonly options: Pick<LeaseOptions<LeasableFamily>, 'waitMs' | 'onWait' | 'signal'>) {}

  get waitedMs(): number {
    return performance.now() - this.beganMs
  }

  /** Waits for a part of that time. False if there is none left. @throws the signal's reason. */
  async more(retryMs: number | undefined): Promise<boolean> {
    const { onWait, signal } = this.options
    const leftMs = this.leftMs
    if (leftMs <= 0 || retryMs === undefined) return false
    onWait?.({ waitedMs: this.waitedMs, retryMs })
    await pause(Math.min(leftMs, retryMs, spread(LONGEST_PAUSE_MS)), signal)
    this.check()
    return true
  }

  /** The promise's result, with some milliseconds more. @throws the signal's reason, or the error of `late`. */
  answer<T>(asked: Promise<T>, moreMs: number, late: () => Error): Promise<T> {
    const { signal } = this.options
    return within(Math.max(this.leftMs, 0) + moreMs, unlessAborted(signal, asked), late)
  }

  /** @throws the signal's reason, if it has aborted. */
  check(): void {
    this.options.signal?.throwIfAborted()
  }

  private get leftMs(): number {
    return (this.options.waitMs ?? DEFAULT_WAIT_MS) - this.waitedMs
  }
}

/** 50 to 100 % of a pause, so that processes that wait together don't retry together. */
const spread = (ms: number): number => ms * (0.5 + Math.random() / 2)
