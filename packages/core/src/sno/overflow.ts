import { monotonicMs } from '../primitives/waiting.js'

/** The argument of `onOverflow`, called while calls wait for the next unit because the sequence is used up. */
export interface SnoOverflow {
  /** The number of waiting calls; 0 in the last notification, when none waits any longer. */
  readonly count: number
  /** Milliseconds since the first of them began to wait. */
  readonly ticks: number
}

/**
 * The listener is called at the first tick of an overflow and at every fourth after it, as in the Go implementation.
 */
const TICKS_A_NOTIFICATION = 4
const TICK_MS = 1

/** Counts the calls that wait, and calls the listener. */
export function overflowWatch(notify: ((overflow: SnoOverflow) => void) | undefined) {
  let count = 0
  let ticks = 0
  let nextTickMs = 0
  const report = (ticks: number): void => notify?.({ count, ticks })
  return {
    enter(): void {
      count++
    },
    /** Every waiting call may call it as often as it likes. */
    look(): void {
      const nowMs = monotonicMs()
      if (nowMs < nextTickMs) return
      nextTickMs = nowMs + TICK_MS
      ticks++
      if (ticks % TICKS_A_NOTIFICATION === 1) report(ticks)
    },
    leave(): void {
      count--
      if (count > 0) return
      const lasted = ticks
      // Before the listener, which may throw.
      ticks = 0
      if (lasted > 0) report(lasted)
    },
  }
}
