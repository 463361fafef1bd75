import { setTimeout as pause } from 'node:timers/promises'
import { IdError } from '@snoflax/core'
import { type LeasableFamily, type LeaseNumbers, type LeaseStore, leasePartitionFrom } from '@snoflax/leases'
import { Account, isHandedOver, type LeaseAccount, noting } from './account.js'

/** Options of {@link tryLeaseStore}. */
export interface LeaseTrial {
  /** sno or flake. */
  readonly family: LeasableFamily
  /** Numbers that nobody else uses. With about half as many as `holders`, they change hands often. */
  readonly numbers: LeaseNumbers
  /** How many holders want a lease at the same time. Default 12. */
  readonly holders?: number
  /** The length of a lease, in milliseconds. Default 600. */
  readonly ttlMs?: number
  /** How long the trial lasts at least, in milliseconds; at most, five times as long. Default 6000. */
  readonly lastsMs?: number
  /** Whether it may end, of what was seen so far, as on a busy machine little happens. Default once a lease was handed over. */
  readonly enough?: (seen: LeaseTrialResult) => boolean
  /** The largest error of the holders' clocks, and their largest step, in milliseconds. Default 200. */
  readonly skewMs?: number
  /** Runs once, after half the time: stop a member of the store, promote another, restart it. */
  readonly disturb?: () => Promise<void>
}

/** The result. A store passes if no ids repeat, no windows overlap, and `handedOver` and `ids` are large. */
export interface LeaseTrialResult extends LeaseAccount {
  /** Ids that were generated. */
  readonly ids: number
  /** Ids that were generated before by another holder. */
  readonly repeats: number
  /** Requests that the store carried out, but whose answers were lost. */
  readonly lostAnswers: number
  /** Requests that arrived up to two leases late. */
  readonly lateRequests: number
  /** Holders that were suspended, perhaps until others had the number, and resumed. */
  readonly standstills: number
  /** Holders that ended without releasing their lease. */
  readonly killed: number
}

/**
 * Stress-tests a store in this process, in seconds: holders have wrong clocks that step, are suspended, end, and lose
 * answers. It records all windows, so it notices a fault even if no id repeats. {@link tryLeaseProcesses} uses real
 * processes and broken connections.
 *
 * @throws what `disturb` throws, and errors of the store that are neither an {@link IdError} nor the failure of a
 * request that may fail.
 *
 * @example
 * const seen = await tryLeaseStore(store, { family: sno, numbers: { min: 1, max: 6 }, lastsMs: 1000 })
 * console.log(seen.ids, seen.repeats, seen.overlaps)
 */
export async function tryLeaseStore(store: LeaseStore, trial: LeaseTrial): Promise<LeaseTrialResult> {
  const { family, numbers, holders = 12, ttlMs = 600, lastsMs = 6000, skewMs = 200 } = trial
  const { enough = isHandedOver, disturb } = trial
  const account = new Account()
  const ids = new Set<string>()
  const seen = { ids: 0, repeats: 0, lostAnswers: 0, lateRequests: 0, standstills: 0, killed: 0 }
  const beganMs = performance.now()
  const lasted = (): number => performance.now() - beganMs
  const result = (): LeaseTrialResult => ({ ...seen, ...account.result() })
  let over = false
  const isOver = (): boolean => {
    over ||= lasted() > 5 * lastsMs || (lasted() > lastsMs && enough(result()))
    return over
  }

  /** The store with the faults of one holder. */
  const reached = (holder: { isStill: boolean }): LeaseStore => {
    const noted = noting(store, (event) => account.add(event))
    const carried = async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
      if (holder.isStill) throw new Error('the holder is paused')
      if (!isOver() && Math.random() < 0.1) {
        seen.lateRequests++
        await pause(Math.random() * 2 * ttlMs)
      }
      const answer = await request()
      if (holder.isStill || (!isOver() && Math.random() < 0.15)) {
        seen.lostAnswers++
        throw new Error('the answer was lost')
      }
      return answer
    }
    return {
      acquire: (request) => carried(() => noted.acquire(request)),
      renew: (token, ttlMs, usedUntilMs) => carried(() => noted.renew(token, ttlMs, usedUntilMs)),
      release: (token, usedUntilMs) => carried(() => noted.release(token, usedUntilMs)),
    }
  }

  const hold = async (name: string): Promise<void> => {
    const state = { isStill: false }
    const offMs = (Math.random() * 2 - 1) * skewMs
    let stepMs = 0
    const clock = () => Date.now() + offMs + stepMs
    const lease = await leasePartitionFrom(reached(state), {
      family,
      numbers,
      ttlMs,
      holder: name,
      waitMs: 2 * ttlMs,
      clock,
    })
    const make = (): void => {
      try {
        for (const id of lease.generator.batch(20)) {
          seen.ids++
          if (ids.has(id)) seen.repeats++
          ids.add(id)
        }
      } catch (error) {
        if (!(error instanceof IdError)) throw error
      }
    }
    const untilMs = performance.now() + Math.random() * 4 * ttlMs
    while (!isOver() && !lease.signal.aborted && performance.now() < untilMs) {
      make()
      if (Math.random() < 0.02) stepMs = (Math.random() * 2 - 1) * skewMs
      await pause(2 + Math.random() * 10)
    }
    const end = Math.random()
    if (end < 0.4 && !isOver()) {
      // It is suspended beyond its lease, then continues.
      seen.standstills++
      state.isStill = true
      await pause(ttlMs * (1 + Math.random()))
      for (let i = 0; i < 10; i++) make()
      state.isStill = end < 0.2
    }
    if (state.isStill) seen.killed++
    await lease.release().catch(() => {})
  }

  const working = Array.from({ length: holders }, async (_, index) => {
    for (let life = 1; !isOver(); life++) {
      await hold(`holder ${index + 1}, life ${life}`).catch(() => pause(20))
    }
  })
  await Promise.all([...working, pause(lastsMs / 2).then(() => disturb?.())])
  return result()
}
