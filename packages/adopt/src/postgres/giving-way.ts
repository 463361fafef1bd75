import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from './session.js'

const LOCK_NOT_AVAILABLE = '55P03'
const PAUSE_MS = 100

/**
 * Runs the work in a transaction that waits for locks for less than `deadlock_timeout` in all, then lets go of
 * everything and tries again: where it and a transaction of the application wait for each other, ours is
 * the one that gives way.
 *
 * @throws the server's error 55P03 when there was no getting through for `patienceMs`.
 */
export async function givingWay<T>(
  session: Session,
  patienceMs: number,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  const attemptMs = Math.max(1, Math.min(patienceMs, await halfOfDeadlockTimeout(session)))
  const startMs = performance.now()
  for (let attempt = 1; ; attempt++) {
    try {
      return await session.transaction(async () => {
        await setLockTimeout(session, attemptMs)
        return await work(attempt)
      })
    } catch (error) {
      const isOver = performance.now() - startMs > patienceMs
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || isOver) throw error
      await sleep(PAUSE_MS)
    }
  }
}

/** Locks the tables one by one, within one attempt's time. */
export async function lockTables(session: Session, statements: readonly string[]): Promise<void> {
  const [setting] = await session.query<{ ms: number }>(
    "SELECT setting::integer AS ms FROM pg_settings WHERE name = 'lock_timeout'",
  )
  const endMs = performance.now() + Number(setting?.ms)
  for (const statement of statements) {
    await setLockTimeout(session, Math.max(1, endMs - performance.now()))
    await session.run([statement])
  }
  await setLockTimeout(session, 0)
}

async function setLockTimeout(session: Session, timeoutMs: number): Promise<void> {
  await session.query("SELECT set_config('lock_timeout', $1, true)", [String(Math.ceil(timeoutMs))])
}

async function halfOfDeadlockTimeout(session: Session): Promise<number> {
  const [setting] = await session.query<{ ms: number }>(
    "SELECT setting::integer / 2 AS ms FROM pg_settings WHERE name = 'deadlock_timeout'",
  )
  return Number(setting?.ms)
}
