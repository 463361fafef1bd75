import { readFileSync } from 'node:fs'
import type { LeaseGrant, LeaseStore } from '@snoflax/leases'
import { describe, expect, test } from 'vitest'
import { granted, request } from '../databases/leases.js'
import { type CopyCell, type CopyName, cellIn, cellOf, type Outcome } from './copies-page.js'

/** Where leases of sno are asked for. */
export interface LeasePlace {
  readonly store: LeaseStore
  /** Declares that this place grants the leases from now on. */
  adopt(): Promise<unknown>
}

/** What became of the original. */
export interface Copy extends LeasePlace {
  /** The store of the original, if it still runs beside. */
  readonly original?: LeaseStore
}

/** Each makes a copy, lets the original go on for `meanwhile`, and opens the copy. */
export type Copies = Partial<Record<CopyName, (meanwhile: () => Promise<void>) => Promise<Copy>>>

/** A server where leases of sno are installed, and none were granted. */
export interface Original extends LeasePlace {
  readonly copies: Copies
  /** Ends all servers, and removes their files. */
  close(): Promise<void>
}

export interface CopyAdapter {
  /** Its column in the table. */
  readonly store: string
  readonly copies: readonly CopyName[]
  /** The error of a copy that has to be adopted. */
  readonly refusal: RegExp
  open(name: CopyName): Promise<Original>
}

// A reporter reads it from each finished test.
declare module 'vitest' {
  interface TaskMeta {
    copies?: readonly CopyCell[]
  }
}

const TTL_MS = 20_000
const one = (number: number, ttlMs = TTL_MS) =>
  request('holder', { numbers: { min: number, max: number }, ttlMs })

/**
 * What a store does after it was copied, restored or promoted, before its first lease and after it. The test finds out
 * which it is; the table of docs/leases.md must have the same, and is written by the run.
 */
export function testCopies(adapter: CopyAdapter): void {
  const page = readFileSync(new URL('../../docs/leases.md', import.meta.url), 'utf8')
  describe(`leases in ${adapter.store}`, () => {
    test.for(adapter.copies)('%s', async (copy, { task }) => {
      const cells: CopyCell[] = []
      for (const when of ['before the first lease', 'after it']) {
        cells.push({ store: adapter.store, copy, when, outcome: await outcomeOf(adapter, copy, when) })
      }
      task.meta.copies = cells
      expect(cellOf(cells), 'docs/leases.md said otherwise').toBe(cellIn(page, adapter.store, copy))
    })
  })
}

async function outcomeOf(adapter: CopyAdapter, name: CopyName, when: string): Promise<Outcome> {
  const original = await adapter.open(name)
  try {
    const first = when === 'after it' ? await granted(original.store.acquire(one(1))) : undefined
    // What a copy doesn't know.
    const later: LeaseGrant[] = []
    const make = original.copies[name]
    if (make === undefined) throw new Error(`${adapter.store} has no copy called ${name}`)
    const copy = await make(async () => {
      if (first) await original.store.release(first.token, first.startMs)
      for (const number of [1, 2]) later.push(await granted(original.store.acquire(one(number))))
    })
    const [other, lease] = later as [LeaseGrant, LeaseGrant]
    const outcome = await tried(copy, lease, adapter.refusal)
    if (outcome === 'refused until adopted' || outcome === "**can't be detected**")
      await expectAdopted(copy, later)
    if (copy.original) {
      expect(await copy.original.renew(other.token, TTL_MS, other.startMs)).toMatchObject({
        startMs: other.startMs,
      })
    }
    return outcome
  } finally {
    await original.close()
  }
}

async function tried({ store }: LeasePlace, lease: LeaseGrant, refusal: RegExp): Promise<Outcome> {
  const asked = await store.acquire(one(3)).catch((error: Error) => error)
  if (asked instanceof Error) {
    expect(asked.message).toMatch(refusal)
    const renewed = await store.renew(lease.token, TTL_MS, lease.startMs).catch((error: Error) => error)
    if (renewed !== undefined) expect(renewed).toHaveProperty('message', expect.stringMatching(refusal))
    return 'refused until adopted'
  }
  const renewed = await store.renew(lease.token, TTL_MS, lease.startMs)
  if (renewed?.startMs === lease.startMs) return 'goes on'
  const window = renewed ?? (await granted(store.acquire(one(2))))
  return window.startMs < lease.untilMs && lease.startMs < window.untilMs
    ? "**can't be detected**"
    : 'goes on after a pause'
}

/** No window begins before all that the original may have granted. */
async function expectAdopted({ store, adopt }: LeasePlace, later: readonly LeaseGrant[]): Promise<void> {
  await adopt()
  const latest = Math.max(...later.map(({ untilMs }) => untilMs))
  for (const number of [1, 2, 3, 4]) {
    const answer = await store.acquire(one(number, 100))
    // Held, or not before that time.
    if ('token' in answer) expect(answer.startMs).toBeGreaterThanOrEqual(latest)
    else expect(Date.now() + (answer.retryMs ?? 0)).toBeGreaterThanOrEqual(latest - TTL_MS)
  }
}
