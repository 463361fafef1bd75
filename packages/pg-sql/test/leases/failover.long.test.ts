import type { LeaseGrant, LeaseWindow } from '@snoflax/leases'
import { install, postgresLeases } from '@snoflax/pg-sql'
import { type PostgresDatabase, type PostgresServer, poolTo, startServer, urlTo } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acquire, failover, request } from './acquire.js'

let primary: PostgresServer
let database: PostgresDatabase
beforeAll(async () => {
  primary = await startServer()
  database = await primary.database()
  await install(database.pool)
})
afterAll(() => primary.stop())

const TTL_MS = 20_000
/** The longest lease, and how far the clocks of two servers may differ. */
const MARGIN_MS = 30_000 + 10_000

const one = (number: number) => ({ numbers: { min: number, max: number }, ttlMs: TTL_MS })
const get = (place: Pick<PostgresDatabase, 'pool'>, holder: string, number: number): Promise<LeaseGrant> =>
  acquire(place, request(holder, one(number)))

test('a longer lease than before is granted once all standbys know of it', () => {
  const longer = { ...one(1), ttlMs: 90_000 }
  return failover({
    async heard(place) {
      await place.query("SELECT snoflax.lease_set_max_ttl('sno', 90000)")
      await expect(acquire(place, request('early', longer))).rejects.toMatchObject({ code: '22003' })
    },
    async unheard(place) {
      await place.query("SELECT snoflax.lease_confirm_max_ttl('sno')")
      return acquire(place, request('holder', longer))
    },
    async after(promoted, unheard) {
      const next = await acquire(promoted, request('next', one(1)))
      expect(next.startMs).toBeGreaterThanOrEqual(unheard.untilMs)
    },
  })
})

test('a standby that lagged when its primary died repeats no window that it had not received', async () => {
  const standby = await primary.standby()
  const promoted = poolTo(urlTo(standby.url, { database: database.name }))
  try {
    const sleeper = await get(database, 'sleeper', 1)
    const steady = await get(database, 'steady', 2)
    await standby.caughtUp()
    await expect(get({ pool: promoted }, 'early', 4)).rejects.toMatchObject({ code: expect.any(String) })
    await standby.disconnect()

    // What the standby will not know: a number that changed hands, a new one, and a renewal.
    await database.query(
      'UPDATE snoflax._lease SET expires_ms = 0, written_by = pg_current_xact_id()::xid WHERE number = 1',
    )
    const heir = await get(database, 'heir', 1)
    const newcomer = await get(database, 'newcomer', 3)
    const prolonged = (await postgresLeases(database.pool).renew(steady.token, TTL_MS, 0)) as LeaseWindow
    expect(heir.startMs).toBe(sleeper.untilMs)
    await primary.kill9()
    await standby.promote()

    const store = postgresLeases(promoted)
    const now = Date.now()
    // Those that it never heard of are lost; their windows are theirs until they run out.
    expect(await store.renew(heir.token, TTL_MS, 0)).toBe(undefined)
    expect(await store.renew(newcomer.token, TTL_MS, 0)).toBe(undefined)
    await expect(promoted.query('SELECT snoflax.sno_set_partition(3)')).rejects.toMatchObject({
      code: '55000',
      message: expect.stringContaining('by the previous server'),
    })
    const resumed = (await store.renew(sleeper.token, TTL_MS, 0)) as LeaseWindow
    const kept = (await store.renew(steady.token, TTL_MS, 0)) as LeaseWindow
    const next = await get({ pool: promoted }, 'next', 3)
    const other = await get({ pool: promoted }, 'other', 4)
    for (const window of [resumed, kept, next, other]) {
      expect(window.startMs).toBeGreaterThanOrEqual(now + MARGIN_MS)
      expect(window.startMs).toBeLessThan(Date.now() + MARGIN_MS + 5000)
    }
    expect(resumed.startMs).toBeGreaterThanOrEqual(heir.untilMs)
    expect(next.startMs).toBeGreaterThanOrEqual(newcomer.untilMs)
    expect(kept.startMs).toBeGreaterThanOrEqual(prolonged.untilMs)

    // Once only: what follows is a timeline like any other.
    expect(await store.renew(steady.token, TTL_MS, 0)).toMatchObject({ startMs: kept.startMs })
    expect((await get({ pool: promoted }, 'late', 5)).startMs).toBe(other.startMs)
    // A release that knows nothing of the new window does not bring the old one back.
    await store.release(steady.token, steady.startMs)
    expect((await get({ pool: promoted }, 'after', 2)).startMs).toBeGreaterThanOrEqual(kept.startMs)
  } finally {
    await promoted.end()
    await standby.stop()
  }
})

/** What an owner may change on the primary, and the lease that the standby then never hears of. */
const CHANGES: readonly (readonly [string, (place: PostgresDatabase) => Promise<LeaseGrant>])[] = [
  [
    'a number that was reset and went to another holder',
    async (place) => {
      await place.query("SELECT snoflax.lease_reset('sno', 1, 1)")
      return get(place, 'heir', 1)
    },
  ],
  [
    'a number that was reset and divided anew',
    async (place) => {
      await place.query("SELECT snoflax.lease_reset('sno', 1, 1)")
      return acquire(place, request('heir', { ...one(1), shards: 4 }))
    },
  ],
  [
    'a shorter longest lease',
    async (place) => {
      const before = await get(place, 'heir', 2)
      await place.query("SELECT snoflax.lease_set_max_ttl('sno', 1000)")
      return before
    },
  ],
  [
    'leases that were adopted',
    async (place) => {
      await place.query("SELECT snoflax.lease_adopt('sno')")
      return get(place, 'heir', 3)
    },
  ],
]

test.each(CHANGES)('a standby that had not received %s grants no overlapping window', (_, unheard) =>
  failover({
    heard: (place) => get(place, 'holder', 1),
    unheard,
    async after({ pool }, lost, holder) {
      const store = postgresLeases(pool)
      const renewed = await store.renew(holder.token, TTL_MS, 0)
      const starts = [renewed?.startMs ?? Number.POSITIVE_INFINITY]
      for (const number of [1, 2, 3, 4]) {
        const answer = await store.acquire(request(`next ${number}`, one(number)))
        if ('token' in answer) starts.push(answer.startMs)
      }
      expect(starts.length).toBeGreaterThan(2)
      for (const startMs of starts) expect(startMs).toBeGreaterThanOrEqual(lost.untilMs)
    },
  }),
)
