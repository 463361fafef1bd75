import { pause } from './timing.js'

/** Which failures of a statement pass, and how often it runs. */
export interface Repetition {
  /** The `code` of errors after which it may run again. */
  readonly codes: readonly unknown[]
  /** How often it runs at most. */
  readonly attempts: number
  /** Milliseconds before the next attempt, of one that failed: 1 is the first. */
  pauseMs(attempt: number): number
}

/**
 * Runs a statement of a lease store again where it met with others: for statements that did nothing then, or that may
 * be done twice.
 *
 * @throws what the last attempt throws, and at once what is none of `codes`.
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
