import { afterEach, beforeEach, vi } from 'vitest'
import { pass } from './monotonic-clock.js'

/** In this file's tests, timers run only when time is let pass here. `Date` stays: generators are given clocks. */
export function virtualTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
}

/** Lets time pass, for timers and the monotonic clock alike, a millisecond at a time. */
export async function advance(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(0)
  for (let passed = 0; passed < ms; passed++) {
    pass(1)
    await vi.advanceTimersByTimeAsync(1)
  }
}

function watch(promise: Promise<unknown>): { readonly isOpen: boolean } {
  const state = { isOpen: true }
  const done = (): void => {
    state.isOpen = false
  }
  promise.then(done, done)
  return state
}

/** More than any test waits. */
const LIMIT_MS = 10_000

/** Lets time pass until the promise is settled. */
export async function settled<T>(promise: Promise<T>): Promise<T> {
  const state = watch(promise)
  await advance(0)
  for (let ms = 0; state.isOpen; ms++) {
    if (ms === LIMIT_MS) throw new Error(`the promise is still open after ${LIMIT_MS} ms`)
    await advance(1)
  }
  return promise
}

/** Whether the promise is still open after so many milliseconds. */
export async function isPendingAfter(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const state = watch(promise)
  await advance(ms)
  return state.isOpen
}
