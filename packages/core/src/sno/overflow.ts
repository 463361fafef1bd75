import { monotonicMs } from '../primitives/waiting.js'

/** Told to a generator's `onOverflow` while calls wait for the next unit because the sequence is used up. */
export interface SnoOverflow {
  /** Calls that wait now; 0 in the last notification, when all went on. */
  readonly count: number
  /** Milliseconds for which there have been waiting calls. */
  readonly ticks: number
}

/** Notified at the first tick of a jam and at every fourth after it, as in the reference. */
const TICKS_A_NOTIFICATION = 4
const TICK_MS = 1

/** Counts the calls that wait, and tells the listener. */
export class OverflowWatch {
  private count = 0
  private ticks = 0
  private nextTickMs = 0

  constructor(private readonly notify: ((overflow: SnoOverflow) => void) | undefined) {}

  enter(): void {
    this.count++
  }

  /** To be called by every waiting call as often as it likes. */
  look(): void {
    const nowMs = monotonicMs()
    if (nowMs < this.nextTickMs) return
    this.nextTickMs = nowMs + TICK_MS
    this.ticks++
    if (this.ticks % TICKS_A_NOTIFICATION === 1) this.tell(this.ticks)
  }

  leave(): void {
    this.count--
    if (this.count > 0) return
    const { ticks } = this
    // Before the listener is told, which may throw.
    this.ticks = 0
    if (ticks > 0) this.tell(ticks)
  }

  private tell(ticks: number): void {
    this.notify?.({ count: this.count, ticks })
  }
}
