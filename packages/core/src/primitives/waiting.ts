import { checkOptions } from './options.js'

declare const performance: { now(): number }
declare const setTimeout: (callback: () => void, delayMs: number) => unknown

/**
 * The monotonic clock, in milliseconds: it never stands still or steps, whatever happens to the wall clock.
 */
export const monotonicMs = (): number => performance.now()

/**
 * So many attempts while the monotonic clock stands still mean that it is frozen: by fake timers, or within a request
 * on Cloudflare. They take less than the longest wait.
 */
const MAX_STILL = 15_000

/**
 * Calls `attempt` until it gives something, blocking the thread for at most `budgetMs` of real time; then
 * undefined. Real time, so that a wall clock that stands still cannot hold the thread for ever.
 */
export function blockUntil<T>(attempt: () => T | undefined, budgetMs: number): T | undefined {
  let nowMs = monotonicMs()
  const deadlineMs = nowMs + budgetMs
  for (let still = 0; ; ) {
    // Looked at before the attempt: a thread that was put aside past the deadline still tries once after it.
    const isLast = nowMs >= deadlineMs || still === MAX_STILL
    const result = attempt()
    if (result !== undefined || isLast) return result
    const beforeMs = nowMs
    nowMs = monotonicMs()
    still = nowMs === beforeMs ? still + 1 : 0
  }
}

/** As much of the platform's AbortSignal as is needed. */
export interface AbortSignalLike {
  /** Whether it is aborted. */
  readonly aborted: boolean
  /** What the call rejects with. */
  readonly reason?: unknown
  /** Calls the listener once it is. */
  addEventListener(type: 'abort', listener: () => void): void
  /** Forgets the listener. */
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Options of calls that wait. */
export interface WaitOptions {
  /** Ends the wait: the call rejects with its reason, and no id is spent. */
  readonly signal?: AbortSignalLike | undefined
}

/** However long a clock needs: it may be corrected at any time. */
const MAX_SLEEP_MS = 50

/** The calls of one generator that wait, in their order, with one timer for all. */
export interface WaitingQueue {
  /** Whether calls wait, so that the next one has to. */
  isBusy(): boolean
  /** What `attempt` gives, in turn, leaving the thread free in between. At once, where nobody waits. */
  take<T>(attempt: () => T | undefined, options?: WaitOptions): Promise<T>
}

/** @param waitMs how long the last attempt has to wait for the clock. */
export function waitingQueue(family: string, waitMs: () => number): WaitingQueue {
  /** Each says whether its turn is over: it has what it waited for, or an error. */
  const waiters = new Set<() => boolean>()
  let isAsleep = false

  const sleep = (): void => {
    if (isAsleep || waiters.size === 0) return
    isAsleep = true
    setTimeout(wake, Math.min(Math.max(waitMs(), 1), MAX_SLEEP_MS))
  }
  const wake = (): void => {
    isAsleep = false
    for (const waiter of waiters) {
      if (!waiter()) break
      waiters.delete(waiter)
    }
    sleep()
  }

  return {
    isBusy: () => waiters.size > 0,
    take: <T>(attempt: () => T | undefined, options?: WaitOptions) =>
      new Promise<T>((resolve, reject) => {
        checkOptions(family, options, { signal: 'signal' })
        const signal = options?.signal
        if (signal?.aborted) throw signal.reason
        const first = waiters.size > 0 ? undefined : attempt()
        if (first !== undefined) return resolve(first)
        const abort = (): void => {
          waiters.delete(waiter)
          reject(signal?.reason)
        }
        const waiter = (): boolean => {
          try {
            const result = attempt()
            if (result === undefined) return false
            resolve(result)
          } catch (error) {
            reject(error)
          }
          signal?.removeEventListener('abort', abort)
          return true
        }
        signal?.addEventListener('abort', abort)
        waiters.add(waiter)
        sleep()
      }),
  }
}
