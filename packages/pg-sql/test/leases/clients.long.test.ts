import { flake, sno } from '@snoflax/core'
import type { LeaseWindow } from '@snoflax/leases'
import { install, type LeaseClient, leasePartition, postgresLeases } from '@snoflax/pg-sql'
import { onConnection, type PostgresDatabase, pglite, poolTo } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPostgres } from '../installed.js'
import { request } from './acquire.js'

let database: PostgresDatabase
beforeEach(async () => {
  database = await openPostgres()
})
afterEach(() => database.close())

const numbers = { min: 1, max: 4 }
/** Short, so that renewals come soon, and long enough for a machine that has much to do. */
const TTL_MS = 3000

/** A short lease, and the failures of its renewals. */
async function shortLease(client: LeaseClient) {
  const failures: Error[] = []
  const onRenewalFailed = (error: unknown) => failures.push(error as Error)
  const lease = await leasePartition(client, { family: sno, numbers, ttlMs: TTL_MS, onRenewalFailed })
  return { lease, failures }
}

/** Waits until the lease ends later than at a time, by default than now. */
const renewed = async (lease: { readonly window: LeaseWindow }, { untilMs } = lease.window) =>
  await expect.poll(() => lease.window.untilMs).toBeGreaterThan(untilMs)

describe('a lease from', () => {
  const clients: Record<string, () => LeaseClient> = {
    'a pool': () => database.pool,
    'a pooler that gives each statement another session, and clears it': () => ({
      query: (text, values) =>
        onConnection(database.url, async (client) => {
          const result = await client.query(text, values)
          await client.query('DISCARD ALL')
          return result
        }),
    }),
    'a client whose query answers with the rows themselves, as postgres.js does': () => ({
      query: async (text, values) => (await database.pool.query(text, values)).rows,
    }),
  }

  test.each(Object.entries(clients))('%s', async (_, client) => {
    const first = await leasePartition(client(), {
      family: sno,
      numbers,
      ttlMs: TTL_MS,
      generator: { meta: 3 },
    })
    const second = await leasePartition(client(), { family: flake, numbers })
    expect(sno.unpack(first.generator.generate())).toMatchObject({ partition: first.partition, meta: 3 })
    expect(flake.unpack(second.generator.generate())).toMatchObject({ worker: second.partition })
    await renewed(first)
    first.generator.generate()
    await first.release()
    await second.release()
    const rows = await database.query('SELECT state, holder FROM snoflax.leases ORDER BY family')
    const holder = expect.stringMatching(new RegExp(`:${process.pid}$`))
    expect(rows).toEqual([
      { state: 'free', holder },
      { state: 'free', holder },
    ])
  })

  test('PGlite, and from another schema', async () => {
    const lite = await pglite.open()
    try {
      await install(lite.connection, { schema: 'ids', families: ['sno'] })
      const lease = await leasePartition(lite.connection, { family: sno, numbers, schema: 'ids' })
      expect(sno.unpack(lease.generator.generate()).partition).toBe(1)
      await lease.release()
    } finally {
      await lite.close()
    }
  })

  test("a database without the functions fails with the database's error", async () => {
    const asked = leasePartition(database.pool, { family: sno, numbers, schema: 'nowhere' })
    await expect(asked).rejects.toMatchObject({ code: '3F000' })
  })
})

test.each(['repeatable read', 'serializable'])(
  'many concurrent requests get one number each with isolation level %s',
  async (isolation) => {
    await database.query(`ALTER DATABASE ${database.name} SET default_transaction_isolation = '${isolation}'`)
    const through = poolTo(database.url, { max: 10 })
    try {
      const asked = { family: sno, numbers: { min: 1, max: 20 }, waitMs: 60_000 }
      const leases = await Promise.all(Array.from({ length: 20 }, () => leasePartition(through, asked)))
      expect(new Set(leases.map(({ partition }) => partition)).size).toBe(20)
      await Promise.all(leases.map((lease) => lease.release()))
    } finally {
      await through.end()
    }
  },
)

describe('only committed leases count', () => {
  test('a client inside a transaction is refused', async () => {
    const client = await database.connect()
    await client.query('BEGIN')
    await expect(leasePartition(client, { family: sno, numbers })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      field: 'client',
      message: expect.stringContaining('in progress'),
    })
    await client.query('ROLLBACK')
    const lease = await leasePartition(client, { family: sno, numbers })
    await lease.release()
  })

  test('a renewal inside a transaction does not count', async () => {
    const client = await database.connect()
    const { lease, failures } = await shortLease(client)
    const { window } = lease
    await client.query('BEGIN')
    await expect.poll(() => failures.length).toBeGreaterThan(1)
    expect(lease.window.untilMs).toBe(window.untilMs)
    expect(() => lease.generator.generate()).not.toThrow(TypeError)
    await client.query('ROLLBACK')
    await renewed(lease, window)
    await lease.release()
  })

  test('a lease is flushed to disk: synchronous_commit is raised to local if it is off', async () => {
    const client = await database.connect()
    const settings: string[] = []
    for (const setting of ['off', 'local', 'on', 'remote_apply']) {
      await client.query(`SET synchronous_commit = ${setting}`)
      await client.query('BEGIN')
      await client.query("SELECT snoflax.lease_acquire('sno', 'a', 1000, 1, 100, 1, 0)")
      const { rows } = await client.query('SHOW synchronous_commit')
      settings.push(rows[0].synchronous_commit)
      await client.query('COMMIT')
    }
    expect(settings).toEqual(['local', 'local', 'on', 'remote_apply'])
  })
})

test('connections that are all in use are an error at first, and harmless later', async () => {
  const through = poolTo(database.url, { max: 3 })
  const takeAll = () => Promise.all([through.connect(), through.connect(), through.connect()])
  try {
    const taken = await takeAll()
    const asked = leasePartition(through, { family: sno, numbers, ttlMs: TTL_MS, waitMs: 100 })
    await expect(asked).rejects.toMatchObject({
      code: 'LEASE_UNAVAILABLE',
      message: expect.stringContaining("check the connection and the pool's size"),
    })
    for (const client of taken) client.release()

    const { lease, failures } = await shortLease(through)
    const takenAgain = await takeAll()
    await expect.poll(() => failures.length).toBeGreaterThan(0)
    const { window } = lease
    for (const client of takenAgain) client.release()
    await renewed(lease, window)
    await lease.release()
    // The one that came too late was released.
    expect(await database.query("SELECT number FROM snoflax.leases WHERE state <> 'free'")).toEqual([])
  } finally {
    await through.end()
  }
})

test('a server in recovery, or a read-only transaction, grants nothing', async () => {
  const client = await database.connect()
  await client.query('SET default_transaction_read_only = on')
  const asked = postgresLeases(client).acquire(request('a'))
  await expect(asked).rejects.toMatchObject({ code: '25006' })
})
