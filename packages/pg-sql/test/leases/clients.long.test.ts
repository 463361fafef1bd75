import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net'
import { flake, sno } from '@snoflax/core'
import type { LeaseWindow } from '@snoflax/core/leases'
import { install, type LeaseClient, leasePartition, postgresLeases } from '@snoflax/pg-sql'
import { connectTo, onConnection, type PostgresDatabase, pglite, poolTo } from '@snoflax/test'
import type { Pool } from 'pg'
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

describe('numbers', () => {
  const one = { family: sno, numbers: { min: 9, max: 9 } } as const

  test('that are all used are an error, which says when one may be free', async () => {
    const held = await leasePartition(database.pool, { ...one, holder: 'first' })
    const refused = leasePartition(database.pool, { ...one, waitMs: 300 })
    await expect(refused).rejects.toMatchObject({ code: 'LEASE_UNAVAILABLE', waitMs: expect.any(Number) })
    await held.release()
  })

  test('that a holder released are granted to a waiting one, whose ids are greater', async () => {
    const held = await leasePartition(database.pool, one)
    const waits: number[] = []
    const waiting = leasePartition(database.pool, { ...one, onWait: ({ waitedMs }) => waits.push(waitedMs) })
    await expect.poll(() => waits.length).toBeGreaterThan(0)
    const earlier = held.generator.generate()
    await held.release()
    const next = await waiting
    expect(next.partition).toBe(9)
    expect(next.generator.generate() > earlier).toBe(true)
    await next.release()
  })

  test("that a holder lost are granted to another, and the first one's signal is aborted", async () => {
    const held = await leasePartition(database.pool, { ...one, ttlMs: TTL_MS })
    // As if this process had been away for the whole of its lease.
    const client = await database.connect()
    await client.query(
      'BEGIN; UPDATE snoflax._lease SET expires_ms = 0, written_by = pg_current_xact_id()::xid',
    )
    const { rows } = await client.query(
      "SELECT start_ms FROM snoflax.lease_acquire('sno', 'second', 10000, 9, 9, 1, $1)",
      [sno.layout.epochMs],
    )
    await client.query('COMMIT')
    expect(Number(rows[0].start_ms)).toBeGreaterThanOrEqual(held.window.untilMs)
    await expect.poll(() => held.signal.aborted).toBe(true)
    expect(() => held.generator.generate()).toThrow(/was lost/)
    await held.release()
  })
})

describe('lost connections', () => {
  let proxy: Server
  let sockets: Socket[]
  let through: Pool
  beforeEach(async () => {
    const { hostname, port } = new URL(database.url)
    sockets = []
    proxy = createServer((near) => {
      const far = connectSocket(Number(port), hostname)
      near.pipe(far).pipe(near)
      for (const socket of [near, far]) socket.on('error', () => {})
      sockets.push(near, far)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const url = new URL(database.url)
    url.port = String((proxy.address() as { port: number }).port)
    url.hostname = '127.0.0.1'
    through = poolTo(url.href, { max: 3 })
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await Promise.all([through.end(), new Promise((resolve) => proxy.close(resolve))])
  })

  test('are replaced, and the lease continues', async () => {
    const { lease } = await shortLease(through)
    for (const socket of sockets.splice(0)) socket.destroy()
    await renewed(lease)
    lease.generator.generate()
    await lease.release()
  })

  test('that are all in use are an error at first, and harmless later', async () => {
    const takeAll = () => Promise.all([through.connect(), through.connect(), through.connect()])
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
  })

  test('that do not answer are not waited for', async () => {
    const { lease, failures } = await shortLease(through)
    for (const socket of sockets) socket.unpipe()
    await expect.poll(() => failures.length).toBeGreaterThan(0)
    expect(failures[0]?.message).toContain('no answer within')
    await renewed(lease)
    await lease.release()
  })
})

test("an application's role may lease and read, but not write the table", async () => {
  const role = await database.role()
  await install(database.pool, { grantLeases: [role.name] })
  const client = await connectTo(role.url)
  try {
    const lease = await leasePartition(client, { family: sno, numbers })
    const { rows } = await client.query('SELECT number, state FROM snoflax.leases')
    expect(rows).toEqual([{ number: 1, state: 'held' }])
    expect((await client.query("SELECT state FROM snoflax.lease_of('sno', 1)")).rows).toHaveLength(1)
    for (const sql of [
      'SELECT token FROM snoflax._lease',
      'UPDATE snoflax._lease_family SET max_ttl_ms = 86400000',
      "SELECT snoflax.lease_set_max_ttl('sno', 60000)",
      "SELECT snoflax.lease_adopt('sno')",
      "SELECT snoflax.lease_reset('sno', 0, 65535)",
      "SELECT snoflax._lease_take('sno', 3, 0, 'x')",
      "SELECT snoflax._clock_take_number('sno', 3, 0, 'x')",
      "SELECT snoflax._lease_define('sno', 3, 1)",
    ]) {
      await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' })
    }
    await lease.release()
  } finally {
    await client.end()
  }
})

test('a server in recovery, or a read-only transaction, grants nothing', async () => {
  const client = await database.connect()
  await client.query('SET default_transaction_read_only = on')
  const asked = postgresLeases(client).acquire(request('a'))
  await expect(asked).rejects.toMatchObject({ code: '25006' })
})
