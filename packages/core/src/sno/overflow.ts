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

/** Counts the calls that wait, and calls the listener. */
export interface OverflowWatch {
  enter(): void
  /** To be called by every waiting call as often as it likes. */
  look(): void
  leave(): void
}

export function overflowWatch(notify: ((overflow: SnoOverflow) => void) | undefined): OverflowWatch {
  let count = 0
  let ticks = 0
  let nextTickMs = 0
  const tell = (ticks: number): void => notify?.({ count, ticks })
  return {
    enter() {
      count++
    },
    look() {
      const nowMs = monotonicMs()
      if (nowMs < nextTickMs) return
      nextTickMs = nowMs + TICK_MS
      ticks++
      if (ticks % TICKS_A_NOTIFICATION === 1) tell(ticks)
    },
    leave() {
      count--
      if (count > 0) return
      const lasted = ticks
      // Before the call of the listener, which may throw.
      ticks = 0
      if (lasted > 0) tell(lasted)
    },
  }
}
