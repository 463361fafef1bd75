import { show } from './errors.js'
import { checkOptions, refuse } from './options.js'

declare const performance: { now(): number }
declare const setTimeout: (callback: () => void, delayMs: number) => unknown

/**
 * The monotonic clock, in milliseconds. It never stops or steps, whatever happens to the wall clock.
 */
export const monotonicMs = (): number => performance.now()

/**
 * After this many attempts without progress the monotonic clock counts as frozen: by fake timers, or within a request
 * on Cloudflare. They take less time than the longest wait.
 */
const MAX_STILL = 15_000

/**
 * Calls `attempt` until it returns a value, blocking the thread for at most `budgetMs`; then returns undefined. It
 * measures by the monotonic clock, so a wall clock that stands still can't block the thread forever.
 *
 * @example
 * const startMs = Date.now()
 * blockUntil(() => (Date.now() > startMs ? Date.now() : undefined), 10)
 */
export function blockUntil<T>(attempt: () => T | undefined, budgetMs: number): T | undefined {
  let nowMs = monotonicMs()
  const deadlineMs = nowMs + budgetMs
  for (let still = 0; ; ) {
    // Read before the attempt, so that a thread that was suspended past the deadline still tries once more.
    const isLast = nowMs >= deadlineMs || still === MAX_STILL
    const result = attempt()
    if (result !== undefined || isLast) return result
    const beforeMs = nowMs
    nowMs = monotonicMs()
    still = nowMs === beforeMs ? still + 1 : 0
  }
}

/** The members of the platform's AbortSignal that we use. */
interface AbortSignalLike {
  /** Whether it is aborted. */
  readonly aborted: boolean
  /** The error with which the call rejects. */
  readonly reason?: unknown
  /** Calls the listener when the signal is aborted. */
  addEventListener(type: 'abort', listener: () => void): void
  /** Removes the listener. */
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Options of calls that wait. */
export interface WaitOptions {
  /** Ends the wait: the call rejects with its reason, and no id is spent. */
  readonly signal?: AbortSignalLike | undefined
}

/** The longest pause between two looks at the clock, since it may be corrected at any time. */
const MAX_SLEEP_MS = 50

/** The waiting calls of one generator, in order, with one timer for all of them. */
interface WaitingQueue {
  /** Whether calls are waiting, so that a new one must wait behind them. */
  isBusy(): boolean
  /**
   * Resolves with the result of `attempt`, in order of the calls, without blocking; immediately if no call is waiting.
   */
  take<T>(attempt: () => T | undefined, options?: WaitOptions): Promise<T>
}

/**
 * The waiting calls of one generator.
 *
 * @param family its name, for errors.
 * @param waitMs how long the last attempt has to wait for the clock, in milliseconds.
 *
 * @example
 * const startMs = Date.now()
 * const queue = waitingQueue('ticket', () => 1)
 * await queue.take(() => (Date.now() > startMs ? Date.now() : undefined))
 */
export function waitingQueue(family: string, waitMs: () => number): WaitingQueue {
  /** Each returns whether its call is done: resolved or rejected. */
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
        const { signal } = checkOptions(family, options, { signal: 'any' })
        if (signal !== undefined && typeof signal?.addEventListener !== 'function')
          refuse(family, 'signal', signal, `signal must be an AbortSignal, not ${show(signal)}`)
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
