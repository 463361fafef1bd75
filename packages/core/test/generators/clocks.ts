import type { Clock } from '@snoflax/core'
import { pass } from './monotonic-clock.js'

/** A moment that every family can carry, at the start of a second and of a 4 ms unit. */
export const START_MS = Date.UTC(2026, 10, 1)

/** A clock that a test sets. */
export interface WallClock {
  nowMs: number
  readonly read: Clock
}

export function wallClock(nowMs: number = START_MS): WallClock {
  const clock = { nowMs, read: () => clock.nowMs }
  return clock
}

/** A clock that gives the readings in turn. A reading too many throws, so that a test sees how often it was read. */
export interface ScriptedClock {
  /** Readings that were not taken yet. */
  readonly left: number
  readonly read: Clock
  /** Forgets what is left and plays these. */
  play(readings: readonly number[]): void
}

export function scriptedClock(...readings: readonly number[]): ScriptedClock {
  let script = readings
  let next = 0
  return {
    get left() {
      return script.length - next
    },
    read() {
      if (next >= script.length) throw new Error(`the clock was read more than ${script.length} times`)
      return script[next++] as number
    },
    play(readings) {
      script = readings
      next = 0
    },
  }
}

/** The same clock, of which each reading takes time by the monotonic clock. */
export function slow(clock: Clock, readingMs = 1): Clock {
  return () => {
    const timeMs = clock()
    pass(readingMs)
    return timeMs
  }
}
