import { pause } from './timing.js'

/** Which errors of a statement are retried, and how often. */
export interface Repetition {
  /** The `code` of errors that are retried. */
  readonly codes: readonly unknown[]
  /** The maximum number of attempts. */
  readonly attempts: number
  /** The pause after a failed attempt, in milliseconds. The first attempt is 1. */
  pauseMs(attempt: number): number
}

/**
 * Retries a statement of a lease store that failed because of concurrent ones. It must be one that does nothing when it
 * fails, or that is idempotent.
 *
 * @throws the error of the last attempt, and immediately an error without one of the `codes`.
 *
 * @example
 * let locked = 2
 * const answer = await repeated(
 *   async () => {
 *     if (locked-- > 0) throw Object.assign(new Error('deadlock'), { code: '40P01' })
 *     return 'done'
 *   },
 *   { codes: ['40P01'], attempts: 10, pauseMs: () => Math.random() * 50 },
 * )
 * answer // 'done'
 */
export async function repeated<Result>(
  run: () => PromiseLike<Result>,
  { codes, attempts, pauseMs }: Repetition,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt >= attempts || !codes.includes((error as { code?: unknown }).code)) throw error
    }
    await pause(pauseMs(attempt), undefined)
  }
}
