import { sno } from '@snoflax/core'
import type { LeaseStore } from '@snoflax/leases'
import { expect, test } from 'vitest'
import { type LeaseTrialResult, tryLeaseStore } from './leases/in-process.js'

interface Row {
  token: string | undefined
  expiresMs: number
  startMs: number
  reservedMs: number
}

/** A store in memory; `forgets` gives windows that begin where they want. */
function memory(forgets: boolean): LeaseStore {
  const rows = new Map<number, Row>()
  let tokens = 0
  return {
    async acquire({ numbers, ttlMs }) {
      const nowMs = Date.now()
      for (let number = numbers.min; number <= numbers.max; number++) {
        const row = rows.get(number) ?? { token: undefined, expiresMs: 0, startMs: 0, reservedMs: 0 }
        if (row.token !== undefined && row.expiresMs > nowMs) continue
        const startMs = forgets ? nowMs - ttlMs : Math.max(row.reservedMs, nowMs - ttlMs)
        const untilMs = Math.max(row.reservedMs, nowMs + ttlMs)
        const token = `token ${++tokens}`
        rows.set(number, { token, expiresMs: nowMs + ttlMs, startMs, reservedMs: untilMs })
        return { token, number, shard: 0, startMs, untilMs }
      }
      return { retryMs: 50 }
    },
    async renew(token, ttlMs) {
      const row = [...rows.values()].find((one) => one.token === token)
      if (row === undefined) return undefined
      row.expiresMs = Date.now() + ttlMs
      row.reservedMs = Math.max(row.reservedMs, row.expiresMs)
      return { startMs: row.startMs, untilMs: row.reservedMs }
    },
    async release(token, usedUntilMs) {
      const row = [...rows.values()].find((one) => one.token === token)
      if (row === undefined) return
      row.token = undefined
      row.reservedMs = Math.max(row.startMs, Math.min(row.reservedMs, usedUntilMs))
    },
  }
}

const trial = { family: sno, numbers: { min: 1, max: 4 }, holders: 8, ttlMs: 300, lastsMs: 2500 }

test('a correct store passes', async () => {
  const enough = (seen: LeaseTrialResult): boolean =>
    Math.min(seen.handedOver, seen.lostAnswers, seen.lateRequests, seen.standstills) > 0 && seen.ids > 100
  const seen = await tryLeaseStore(memory(false), { ...trial, enough })
  expect(seen).toMatchObject({ repeats: 0, overlaps: [] })
  expect(seen).toSatisfy(enough)
})

test('a store whose windows overlap is found', async () => {
  const enough = ({ overlaps }: LeaseTrialResult): boolean => overlaps.length > 0
  const seen = await tryLeaseStore(memory(true), { ...trial, enough })
  expect(seen).toSatisfy(enough)
})
