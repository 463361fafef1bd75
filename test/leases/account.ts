import type { LeaseStore } from '@snoflax/leases'

/** A window that the store confirmed to a holder, or the end of its use, after which it generates no id. */
export type Event =
  | { readonly token: string; readonly number: number; readonly startMs: number; readonly untilMs: number }
  | { readonly token: string; readonly usedUntilMs: number }

/** The store, with each answer recorded. */
export function noting(store: LeaseStore, note: (event: Event) => void): LeaseStore {
  const numbers = new Map<string, number>()
  const closed = new Set<string>()
  return {
    async acquire(request) {
      const answer = await store.acquire(request)
      if ('token' in answer) {
        const { token, number, startMs, untilMs } = answer
        numbers.set(token, number)
        note({ token, number, startMs, untilMs })
      }
      return answer
    },
    async renew(token, ttlMs, usedUntilMs) {
      const window = await store.renew(token, ttlMs, usedUntilMs)
      const number = numbers.get(token)
      // Nobody uses an answer that arrives after the holder has closed.
      if (window !== undefined && number !== undefined && !closed.has(token)) {
        note({ token, number, startMs: window.startMs, untilMs: window.untilMs })
      }
      return window
    },
    release(token, usedUntilMs) {
      // The holder has closed before it asks, so nobody uses the rest.
      closed.add(token)
      note({ token, usedUntilMs })
      return store.release(token, usedUntilMs)
    },
  }
}

/** A window of a number and its holder. */
interface Claim {
  readonly number: number
  readonly token: string
  readonly startMs: number
  untilMs: number
}

/** What happened to the leases. */
export interface LeaseAccount {
  /** Leases that reached their holders. */
  readonly leases: number
  /** How many of them were of a number that another holder had before. */
  readonly handedOver: number
  /** Windows of one number that overlap although their holders differ, in pairs. */
  readonly overlaps: readonly string[]
}

/** What a trial must have seen by default before it ends. */
export const isHandedOver = ({ handedOver }: LeaseAccount): boolean => handedOver > 0

/** The windows of all holders. */
export class Account {
  private readonly claims = new Map<string, Claim[]>()

  add(event: Event): void {
    const claims = this.claims.get(event.token) ?? []
    this.claims.set(event.token, claims)
    if ('usedUntilMs' in event) {
      for (const claim of claims) {
        claim.untilMs = Math.min(claim.untilMs, Math.max(claim.startMs, event.usedUntilMs))
      }
      return
    }
    const { token, number, startMs, untilMs } = event
    // After a failover a renewal begins a new window.
    const same = claims.find((claim) => claim.startMs === startMs)
    if (same) same.untilMs = Math.max(same.untilMs, untilMs)
    else claims.push({ token, number, startMs, untilMs })
  }

  /** Whether one of these leases covers the time. */
  covers(tokens: Iterable<string>, number: number, timeMs: number): boolean {
    for (const token of tokens) {
      for (const claim of this.claims.get(token) ?? []) {
        if (claim.number === number && claim.startMs <= timeMs && timeMs < claim.untilMs) return true
      }
    }
    return false
  }

  result(): LeaseAccount {
    const sorted = [...this.claims.values()]
      .flat()
      .sort((a, b) => a.number - b.number || a.startMs - b.startMs || a.untilMs - b.untilMs)
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
    return { leases: this.claims.size, handedOver, overlaps }
  }
}
