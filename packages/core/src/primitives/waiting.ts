declare const performance: { now(): number }
declare const setTimeout: (callback: () => void, delayMs: number) => unknown

/** The monotonic clock, in milliseconds: it never stands still or steps, whatever happens to the wall clock. */
export const monotonicMs = (): number => performance.now()

/**
 * Calls `attempt` until it gives something, blocking the thread for at most `budgetMs` of real time; then undefined.
 * Real time, so that a wall clock that stands still cannot hold the thread for ever.
 */
export function blockUntil<T>(attempt: () => T | undefined, budgetMs: number): T | undefined {
  const deadlineMs = monotonicMs() + budgetMs
  let result = attempt()
  while (result === undefined && monotonicMs() < deadlineMs) result = attempt()
  return result
}

/** Calls `attempt` once a millisecond until it gives something, leaving the thread free in between. */
export async function pollUntil<T>(attempt: () => T | undefined): Promise<T> {
  for (;;) {
    await new Promise<void>((resolve) => setTimeout(resolve, 1))
    const result = attempt()
    if (result !== undefined) return result
  }
}
