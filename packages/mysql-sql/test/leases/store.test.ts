import { sno } from '@snoflax/core'
import type { LeaseGrant, LeaseRequest, LeaseStore } from '@snoflax/core/leases'
import { install, leasePartition, mysqlLeases } from '@snoflax/mysql-sql'
import { granted, type MysqlDatabase, mysql, randomFrom, request, TTL_MS } from '@snoflax/test'
import type { PoolConnection } from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const START_MS = Date.parse('2026-11-22T12:00:00Z')

describe.runIf(mysql.selected())('leases in MySQL and MariaDB', () => {
  let database: MysqlDatabase
  let session: PoolConnection
  let store: LeaseStore
  let nowMs: number
  beforeAll(async () => {
    database = await mysql.open()
    await install(database.pool, { schema: database.name })
  })
  afterAll(() => database?.close())
  beforeEach(async () => {
    await database.query('DELETE FROM _lease')
    await database.query("UPDATE _lease_family SET server = NULL, floor_ms = 0, durability = 'durable'")
    // A server that is not durable gives out leases when the owner has said that it may.
    for (const family of ['sno', 'flake']) await database.query(`CALL lease_adopt('${family}')`)
    session = await database.pool.getConnection()
    store = mysqlLeases(session, { schema: database.name })
    await setClock(START_MS)
    return async () => {
      await session.query('SET timestamp = DEFAULT')
      session.release()
    }
  })

  /** The clock of this session. */
  const setClock = async (ms: number): Promise<void> => {
    nowMs = ms
    await session.query(`SET timestamp = ${ms / 1000}`)
  }
  const get = (holder: string, changes: Partial<LeaseRequest> = {}): Promise<LeaseGrant> =>
    granted(store.acquire(request(holder, changes)))

  test('numbers never used come first, then the least recently used', async () => {
    const [a, b] = [await get('a'), await get('b')]
    expect([a.number, b.number]).toEqual([1, 2])
    expect(a).toMatchObject({ startMs: START_MS - TTL_MS, untilMs: START_MS + TTL_MS })
    await setClock(START_MS + 2000)
    expect(await store.acquire(request('c'))).toEqual({ retryMs: TTL_MS - 2000 })
    await store.release(b.token, START_MS + 1500)
    await store.release(a.token, START_MS + 1600)
    expect(await get('c')).toMatchObject({ number: 2, startMs: START_MS + 1500 })
    expect(await get('d')).toMatchObject({ number: 1, startMs: START_MS + 1600 })
  })

  test('a number that was left out is granted once the last one was used', async () => {
    await get('a', { numbers: { min: 2, max: 2 } })
    expect(await get('b', { numbers: { min: 1, max: 3 } })).toMatchObject({ number: 3 })
    expect(await get('c', { numbers: { min: 1, max: 3 } })).toMatchObject({ number: 1 })
  })

  test('a window begins where that of a holder that did not return ended', async () => {
    const a = await get('a', { numbers: { min: 7, max: 7 } })
    const renewed = await store.renew(a.token, TTL_MS, START_MS + 1)
    expect(renewed).toEqual({ startMs: a.startMs, untilMs: a.untilMs })
    await setClock(START_MS + TTL_MS)
    const b = await get('b', { numbers: { min: 7, max: 7 } })
    expect(b.startMs).toBe(a.untilMs)
    expect(await store.renew(a.token, TTL_MS, 0)).toBeUndefined()
    await store.release(a.token, 0)
    expect(await store.renew(b.token, TTL_MS, 0)).toMatchObject({ startMs: b.startMs })
  })

  test('a request with the same token gets the same answer again', async () => {
    const values = ['0123abcd-0000-4000-8000-000000000000', 'sno', 'a', TTL_MS, 1, 2, 1, sno.layout.epochMs]
    const ask = async () => {
      const [results] = await session.query(`CALL lease_acquire(${values.map(() => '?')})`, values)
      return (results as unknown[])[0]
    }
    expect(await ask()).toEqual(await ask())
    expect(await database.query('SELECT number FROM leases')).toEqual([{ number: 1 }])
  })

  test('shards are divided again when all of a number are free, or by the owner', async () => {
    const one = { numbers: { min: 5, max: 5 } }
    const [a, b] = [await get('a', { ...one, shards: 2 }), await get('b', { ...one, shards: 2 })]
    expect([a.shard, b.shard].sort()).toEqual([0, 1])
    await store.release(a.token, START_MS + 5)
    expect(await store.acquire(request('c', one))).toEqual({ retryMs: TTL_MS })
    await store.release(b.token, START_MS + 9)
    const c = await get('c', one)
    expect(c).toMatchObject({ shard: 0, startMs: START_MS + 9 })
    expect(await store.acquire(request('d', { ...one, epochMs: 0 }))).toEqual({ retryMs: undefined })
    await session.query("CALL lease_reset('sno', 0, 65535)")
    expect(await store.renew(c.token, TTL_MS, 0)).toBeUndefined()
    expect(await get('d', { ...one, epochMs: 0, shards: 3 })).toMatchObject({ startMs: c.untilMs })
  })

  test('windows never overlap, whatever the clock, holders and the owner do', async () => {
    const drawn = randomFrom(Number(process.env['SNOFLAX_SEED'] ?? 7))
    const random = () => drawn(2 ** 32) / 2 ** 32
    const windows: { number: number; shard: number; startMs: number; untilMs: number; usedMs: number }[] = []
    const held: (LeaseGrant & { window: (typeof windows)[number] })[] = []
    const steps = Number(process.env['SNOFLAX_CASES'] ?? 600)
    for (let step = 0; step < steps; step++) {
      await setClock(nowMs + Math.floor((random() - 0.4) * 6000))
      const at = Math.floor(random() * held.length)
      const one = held[at]
      const choice = random()
      if (choice < 0.45 || one === undefined) {
        const found = await store.acquire(request('x', { numbers: { min: 1, max: 3 }, ttlMs: 4000 }))
        if (!('token' in found)) continue
        const window = { ...found, usedMs: found.startMs }
        windows.push(window)
        held.push({ ...found, window })
      } else if (choice < 0.8) {
        const renewed = await store.renew(one.token, 4000, one.window.usedMs)
        if (renewed === undefined) held.splice(at, 1)
        else if (renewed.startMs === one.window.startMs) one.window.untilMs = renewed.untilMs
        else {
          one.window = { ...one.window, ...renewed, usedMs: renewed.startMs }
          windows.push(one.window)
        }
      } else if (choice < 0.95) {
        // What it used was in its window.
        const { window } = one
        window.usedMs = window.startMs + Math.floor(random() * (window.untilMs - window.startMs))
        const [row] = await database.query('SELECT 1 FROM _lease WHERE token = ?', [one.token])
        await store.release(one.token, window.usedMs)
        if (row !== undefined) window.untilMs = window.usedMs
        held.splice(at, 1)
      } else if (choice < 0.98) await session.query("CALL lease_adopt('sno')")
      else await session.query("CALL lease_reset('sno', 2, 3)")
    }
    expect(windows.length).toBeGreaterThan(steps / 10)
    const meeting = windows.flatMap((a, i) =>
      windows
        .slice(i + 1)
        .filter((b) => a.number === b.number && a.startMs < b.untilMs && b.startMs < a.untilMs),
    )
    expect(meeting).toEqual([])
  })

  test('many concurrent requests get one number each', async () => {
    const all = mysqlLeases(database.pool, { schema: database.name })
    const asked = Array.from({ length: 40 }, (_, n) =>
      all.acquire(request(`${n}`, { numbers: { min: 1, max: 30 } })),
    )
    const numbers = (await Promise.all(asked)).flatMap((answer) => ('token' in answer ? [answer.number] : []))
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
  })

  test('another server, or restored tables, grant none until the owner adopts them, then only later windows', async () => {
    const a = await get('a')
    for (const change of [
      "server = 'another'",
      "server = replace(server, substring_index(server, ' ', -1), '1,1')",
    ]) {
      await database.query(`UPDATE _lease_family SET ${change} WHERE family = 'sno'`)
      for (const work of [store.acquire(request('b')), store.renew(a.token, TTL_MS, 0)]) {
        await expect(work).rejects.toMatchObject({
          sqlState: '45000',
          message: /another server gave out .*lease_adopt/,
        })
      }
      await session.query("CALL lease_adopt('sno')")
      expect(await get('b')).toMatchObject({ startMs: START_MS + 40_000 })
      await database.query("DELETE FROM _lease WHERE holder = 'b'")
      await database.query('UPDATE _lease_family SET floor_ms = 0')
    }
    await session.query("CALL lease_adopt('sno')")
    expect(await store.renew(a.token, TTL_MS, 0)).toMatchObject({ startMs: START_MS + 40_000 })
  })

  test('a server that may lose commits in a crash grants none until the owner accepts that', async () => {
    const [row] = await database.query(
      'SELECT @@innodb_flush_log_at_trx_commit AS flush, @@log_bin AS binlog',
    )
    if (Number(row?.['flush']) === 1) return
    await database.query("UPDATE _lease_family SET durability = 'durable'")
    await expect(get('a')).rejects.toMatchObject({ message: /innodb_flush_log_at_trx_commit is not 1/ })
  })

  test('the owner allows longer leases in two steps', async () => {
    await session.query("CALL lease_set_max_ttl('sno', 60000)")
    await expect(get('a', { ttlMs: 60_000 })).rejects.toMatchObject({ sqlState: '45000' })
    await session.query("CALL lease_confirm_max_ttl('sno')")
    const a = await get('a', { ttlMs: 60_000 })
    await session.query("CALL lease_set_max_ttl('sno', 1000)")
    await expect(store.renew(a.token, 1001, 0)).rejects.toMatchObject({ sqlState: '45000' })
    await session.query("CALL lease_set_max_ttl('sno', 30000)")
    await session.query("CALL lease_confirm_max_ttl('sno')")
  })

  test.each([
    ['a lease that is too long', { ttlMs: 30_001 }, /ttl_ms 30001 is not from 100 to 30000/],
    ['a lease that is too short', { ttlMs: 99 }, /ttl_ms 99/],
    ['numbers that the family has not', { numbers: { min: 1, max: 65_536 } }, /last_number 65536/],
    ['no numbers', { numbers: { min: 2, max: 1 } }, /first_number 2/],
    ['too many shards', { shards: 1025 }, /shards 1025/],
    ['a holder without a name', { holder: '' }, /holder is missing/],
    ['a family without numbers', { family: 'flax' }, /'flax' has no numbers to lease/],
  ])('refuses %s', async (_, changes, message) => {
    await expect(store.acquire(request('a', changes))).rejects.toMatchObject({ sqlState: '45000', message })
    expect(await database.query('SELECT * FROM leases')).toEqual([])
  })

  test('refuses a transaction in progress, which a lease would commit', async ({ skip }) => {
    if (!database.label.startsWith('MariaDB')) return skip('MySQL does not say whether a transaction is open')
    await session.query('START TRANSACTION')
    await session.query("INSERT INTO _lease_family (family, last_number, max_shards) VALUES ('x', 1, 1)")
    await expect(store.acquire(request('a'))).rejects.toMatchObject({ message: /a transaction is open/ })
    await session.query('ROLLBACK')
    expect(await database.query("SELECT * FROM _lease_family WHERE family = 'x'")).toEqual([])
  })

  test('a lease has a generator', async () => {
    const options = { family: sno, numbers: { min: 9, max: 9 }, schema: database.name }
    const lease = await leasePartition(database.pool, options)
    expect(sno.unpack(lease.generator.generate()).partition).toBe(9)
    const [row] = await database.query('SELECT state, expires_at FROM leases')
    expect(row).toEqual({ state: 'held', expires_at: expect.any(Date) })
    await lease.release()
    expect(await database.query('SELECT state FROM leases')).toEqual([{ state: 'free' }])
  })
})
