import { IdError } from '../primitives/errors.js'
import { monotonicMs } from '../primitives/waiting.js'
import type { LeasableFamily } from './families.js'
import { leasePartitionFrom } from './lease-partition.js'
import type { LeaseNumbers, LeaseStore } from './store.js'
import { pause } from './timing.js'

/** What a store is tried with. */
export interface LeaseTrial {
  /** sno or flake: whose ids are counted. */
  readonly family: LeasableFamily
  /** Numbers that nobody else uses. About half as many as there are holders makes them change hands. */
  readonly numbers: LeaseNumbers
  /** How many want a lease at the same time. Default 12. */
  readonly holders?: number
  /** The length of a lease, in milliseconds. Default 600. */
  readonly ttlMs?: number
  /** How long the trial lasts, in milliseconds. Default 6000. */
  readonly lastsMs?: number
  /** How far the holders' clocks are off at most, and how far they step, in milliseconds. Default 200. */
  readonly skewMs?: number
  /** Runs once, when half the time is over: end a member of the store, promote another, restart it. */
  readonly disturb?: () => Promise<void>
}

/** What was seen. A store passes if nothing repeats and no windows overlap, and `handedOver` and `ids` are large. */
export interface LeaseTrialResult {
  /** Ids that were generated. */
  readonly ids: number
  /** Ids that were generated before by another holder. */
  readonly repeats: number
  /** Leases that were given out. */
  readonly leases: number
  /** How many of them were of a number that another holder had before. */
  readonly handedOver: number
  /** Pairs of windows of one number, of different holders, that meet. */
  readonly overlaps: readonly string[]
  /** Answers that were lost on the way, of requests that the store carried out. */
  readonly lostAnswers: number
  /** Requests that arrived up to two leases late. */
  readonly lateRequests: number
  /** Holders that stood still, and went on when others had the number, perhaps. */
  readonly standstills: number
  /** Holders that ended without giving back. */
  readonly killed: number
}

/** Who had which moments of a number. */
interface Claim {
  readonly number: number
  readonly token: string
  startMs: number
  untilMs: number
}

/**
 * Tries a store with holders whose clocks are off and step, who stand still, end, and lose answers, and counts what comes
 * of it. It keeps its own account of the windows, so a repeat is not needed to see a fault. Everything runs in this
 * process, on any runtime; ends of servers are for `disturb`.
 *
 * @throws what `disturb` throws, and what the store throws in ways that are neither an {@link IdError} nor a rejection
 * of a request that may fail.
 *
 * @example
 * const seen = await tryLeaseStore(store, { family: sno, numbers: { min: 1, max: 6 }, lastsMs: 1000 })
 * console.log(seen.ids, seen.repeats, seen.overlaps)
 */
export async function tryLeaseStore(store: LeaseStore, trial: LeaseTrial): Promise<LeaseTrialResult> {
  const { family, numbers, holders = 12, ttlMs = 600, lastsMs = 6000, skewMs = 200, disturb } = trial
  const claims: Claim[] = []
  const made = new Set<string>()
  const seen = { ids: 0, repeats: 0, lostAnswers: 0, lateRequests: 0, standstills: 0, killed: 0 }
  const endsMs = monotonicMs() + lastsMs
  const isOver = (): boolean => monotonicMs() >= endsMs

  /** The store, as one holder reaches it. */
  const reached = (holder: { isStill: boolean }): LeaseStore => {
    const claimed = new Map<string, Claim>()
    const closed = new Set<string>()
    const carried = async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
      if (holder.isStill) throw new Error('the holder is paused')
      if (!isOver() && Math.random() < 0.1) {
        seen.lateRequests++
        await pause(Math.random() * 2 * ttlMs, undefined)
      }
      const answer = await request()
      if (holder.isStill || (!isOver() && Math.random() < 0.15)) {
        seen.lostAnswers++
        throw new Error('the answer was lost')
      }
      return answer
    }
    const claim = (token: string, number: number, startMs: number, untilMs: number): void => {
      const last = claimed.get(token)
      if (last !== undefined && last.startMs === startMs) {
        last.untilMs = Math.max(last.untilMs, untilMs)
        return
      }
      const next = { number, token, startMs, untilMs }
      claimed.set(token, next)
      claims.push(next)
    }
    return {
      acquire: (request) =>
        carried(async () => {
          const answer = await store.acquire(request)
          if ('token' in answer) claim(answer.token, answer.number, answer.startMs, answer.untilMs)
          return answer
        }),
      renew: (token, ttlMs, usedUntilMs) =>
        carried(async () => {
          const window = await store.renew(token, ttlMs, usedUntilMs)
          const number = claimed.get(token)?.number
          // An answer that comes after the holder has closed serves nobody.
          if (window !== undefined && number !== undefined && !closed.has(token))
            claim(token, number, window.startMs, window.untilMs)
          return window
        }),
      release: (token, usedUntilMs) => {
        // The holder has closed before it asks: what lies behind is nobody's.
        closed.add(token)
        for (const one of claims) {
          if (one.token === token) one.untilMs = Math.min(one.untilMs, Math.max(one.startMs, usedUntilMs))
        }
        return carried(() => store.release(token, usedUntilMs))
      },
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
          if (made.has(id)) seen.repeats++
          made.add(id)
        }
      } catch (error) {
        if (!(error instanceof IdError)) throw error
      }
    }
    const untilMs = monotonicMs() + Math.random() * 4 * ttlMs
    while (!isOver() && !lease.signal.aborted && monotonicMs() < untilMs) {
      make()
      if (Math.random() < 0.02) stepMs = (Math.random() * 2 - 1) * skewMs
      await pause(2 + Math.random() * 10, undefined)
    }
    const end = Math.random()
    if (end < 0.4 && !isOver()) {
      // It stands still beyond its lease, and goes on as if nothing had happened.
      seen.standstills++
      state.isStill = true
      await pause(ttlMs * (1 + Math.random()), undefined)
      for (let i = 0; i < 10; i++) make()
      state.isStill = end < 0.2
    }
    if (state.isStill) seen.killed++
    await lease.release().catch(() => {})
  }

  const working = Array.from({ length: holders }, async (_, index) => {
    for (let life = 1; !isOver(); life++) {
      await hold(`holder ${index + 1}, life ${life}`).catch(() => pause(20, undefined))
    }
  })
  await Promise.all([...working, pause(lastsMs / 2, undefined).then(() => disturb?.())])
  return { ...seen, ...account(claims) }
}

function account(claims: readonly Claim[]): Pick<LeaseTrialResult, 'leases' | 'handedOver' | 'overlaps'> {
  const sorted = [...claims].sort(
    (a, b) => a.number - b.number || a.startMs - b.startMs || a.untilMs - b.untilMs,
  )
  const overlaps: string[] = []
  let handedOver = 0
  let furthest: Claim | undefined
  for (const claim of sorted) {
    if (furthest?.number !== claim.number) furthest = undefined
    if (furthest !== undefined && furthest.token !== claim.token) {
      handedOver++
      if (claim.startMs < furthest.untilMs && claim.startMs < claim.untilMs) {
        overlaps.push(
          `number ${claim.number}: ${furthest.startMs} to ${furthest.untilMs}, and ${claim.startMs} to ${claim.untilMs}`,
        )
      }
    }
    if (furthest === undefined || claim.untilMs >= furthest.untilMs) furthest = claim
  }
  return { leases: new Set(claims.map(({ token }) => token)).size, handedOver, overlaps }
}
