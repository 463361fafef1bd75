import { onConnection, type PostgresDatabase } from '@snoflax/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPostgres } from '../installed.js'
import { acquire, failover, request } from './acquire.js'

// What the model in proof/lease.pml found, on a real server.

let database: PostgresDatabase
beforeEach(async () => {
  database = await openPostgres()
})
afterEach(() => database.close())

const one = { numbers: { min: 1, max: 1 } }
const WAITING = `SELECT FROM pg_locks WHERE NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

test('leases as long as before a shortening are waited for if their rows are lost', async () => {
  await database.query("SELECT snoflax.lease_set_max_ttl('sno', 600000)")
  await database.query("SELECT snoflax.lease_confirm_max_ttl('sno')")
  const long = await acquire(database, request('long', { ...one, ttlMs: 600_000 }))
  await database.query("SELECT snoflax.lease_set_max_ttl('sno', 1000)")
  await database.query('DELETE FROM snoflax._lease')
  await database.query("SELECT snoflax.lease_adopt('sno')")
  const next = await acquire(database, request('next', { ...one, ttlMs: 1000 }))
  expect(next.startMs).toBeGreaterThanOrEqual(long.untilMs)
})

test('a renewal that began before the longest lease was shortened is refused', async () => {
  const held = await acquire(database, request('holder', { ...one, ttlMs: 30_000 }))
  await onConnection(database.url, async (owner) => {
    await owner.query('BEGIN')
    await owner.query("SELECT snoflax.lease_set_max_ttl('sno', 1000)")
    const renewed = onConnection(database.url, async (holder) => {
      await holder.query("SET default_transaction_isolation = 'repeatable read'")
      return holder.query('SELECT * FROM snoflax.lease_renew($1, 30000, 0)', [held.token])
    })
    const refused = expect(renewed).rejects.toMatchObject({ code: '40001' })
    await expect.poll(async () => (await database.query(WAITING)).length).toBeGreaterThan(0)
    await owner.query('COMMIT')
    await refused
  })
})

test("the server's own ids, which may be 10 s ahead, are waited for, however short leases are", async () => {
  await database.query("SELECT snoflax.lease_set_max_ttl('sno', 100)")
  await database.query('SELECT snoflax.sno_set_partition(1)')
  await database.query('DELETE FROM snoflax._lease')
  const before = Date.now()
  await database.query("SELECT snoflax.lease_adopt('sno')")
  const next = await acquire(database, request('next', { numbers: { min: 2, max: 2 }, ttlMs: 100 }))
  expect(next.startMs).toBeGreaterThan(before + 10_000 + 10_000)
})

test('a standby that had not received the first lease grants no overlapping window', () =>
  failover({
    heard: async () => {},
    unheard: (place) => acquire(place, request('first', one)),
    async after(promoted, unheard) {
      const setting = promoted.pool.query('SELECT snoflax.sno_set_partition(1)')
      await expect(setting).rejects.toMatchObject({
        code: '55000',
        message: expect.stringContaining('by the previous server'),
      })
      const next = await acquire(promoted, request('next', one))
      expect(next.startMs).toBeGreaterThanOrEqual(unheard.untilMs)
    },
  }))
