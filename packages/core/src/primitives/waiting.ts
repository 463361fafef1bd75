declare const performance: { now(): number }
declare const setTimeout: (callback: () => void, delayMs: number) => unknown

/**
 * The monotonic clock, in milliseconds: it never stands still or steps, whatever happens to the wall clock.
 */
export const monotonicMs = (): number => performance.now()

/**
 * Far more attempts than the longest wait has room for. Only fake timers, which freeze both clocks, get that
 * far.
 */
const MAX_ATTEMPTS = 1_000_000

/**
 * Calls `attempt` until it gives something, blocking the thread for at most `budgetMs` of real time; then
 * undefined. Real time, so that a wall clock that stands still cannot hold the thread for ever.
 */
export function blockUntil<T>(attempt: () => T | undefined, budgetMs: number): T | undefined {
  const deadlineMs = monotonicMs() + budgetMs
  for (let attempts = 1; ; attempts++) {
    // Looked at before the attempt: a thread that was put aside past the deadline still tries once after it.
    const isLast = monotonicMs() >= deadlineMs || attempts === MAX_ATTEMPTS
    const result = attempt()
    if (result !== undefined || isLast) return result
  }
}

/** Calls `attempt` once a millisecond until it gives something, leaving the thread free in between. */
export async function pollUntil<T>(attempt: () => T | undefined): Promise<T> {
  for (;;) {
    await new Promise<void>((resolve) => setTimeout(resolve, 1))
    const result = attempt()
    if (result !== undefined) return result
  }
}
