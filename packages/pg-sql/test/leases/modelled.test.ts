import { install } from '@snoflax/pg-sql'
import { onConnection, type PostgresServer, poolTo, startServer, urlTo } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acquire, request } from './acquire.js'

// What the model in proof/lease.pml found, on a real server.

let server: PostgresServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

async function installed() {
  const database = await server.database()
  await install(database.pool, { families: ['sno'] })
  return database
}

const one = { numbers: { min: 1, max: 1 } }

test('leases as long as before a shortening are waited for if their rows are lost', async () => {
  const database = await installed()
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
  const database = await installed()
  const held = await acquire(database, request('holder', { ...one, ttlMs: 30_000 }))
  await onConnection(database.url, async (owner) => {
    await owner.query('BEGIN')
    await owner.query("SELECT snoflax.lease_set_max_ttl('sno', 1000)")
    const renewed = onConnection(database.url, async (holder) => {
      await holder.query("SET default_transaction_isolation = 'repeatable read'")
      return holder.query('SELECT * FROM snoflax.lease_renew($1, 30000, 0)', [held.token])
    })
    const refused = expect(renewed).rejects.toMatchObject({ code: '40001' })
    await expect
      .poll(async () => (await database.query('SELECT FROM pg_locks WHERE NOT granted')).length)
      .toBeGreaterThan(0)
    await owner.query('COMMIT')
    await refused
  })
})

test("the server's own ids, which may be 10 s ahead, are waited for, however short leases are", async () => {
  const database = await installed()
  await database.query("SELECT snoflax.lease_set_max_ttl('sno', 100)")
  await database.query('SELECT snoflax.sno_set_partition(1)')
  await database.query('DELETE FROM snoflax._lease')
  const before = Date.now()
  await database.query("SELECT snoflax.lease_adopt('sno')")
  const next = await acquire(database, request('next', { numbers: { min: 2, max: 2 }, ttlMs: 100 }))
  expect(next.startMs).toBeGreaterThan(before + 10_000 + 10_000)
})

test('a standby that had not received the first lease grants no overlapping window', async () => {
  const place = await installed()
  const standby = await server.standby()
  await standby.caughtUp()
  await standby.disconnect()
  const unheard = await acquire(place, request('first', one))
  await server.kill9()
  await standby.promote()
  const promoted = poolTo(urlTo(standby.url, { database: place.name }))
  try {
    await expect(promoted.query('SELECT snoflax.sno_set_partition(1)')).rejects.toMatchObject({
      code: '55000',
      message: expect.stringContaining('by the previous server'),
    })
    const next = await acquire({ pool: promoted }, request('next', one))
    expect(next.startMs).toBeGreaterThanOrEqual(unheard.untilMs)
  } finally {
    await promoted.end()
    await standby.stop()
  }
})
