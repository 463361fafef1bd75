import { sno } from '@snoflax/core'
import type { LeaseGrant, LeaseRequest, LeaseStore } from '@snoflax/leases'
import { install, leasePartition, mysqlLeases } from '@snoflax/mysql-sql'
import { granted, type MysqlDatabase, mysql, request, TTL_MS } from '@snoflax/test'
import type { PoolConnection } from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { START_MS, testStore } from '../../../../test/leases/store-contract.js'

describe.runIf(mysql.selected())('leases in MySQL and MariaDB', () => {
  let database: MysqlDatabase
  let session: PoolConnection
  let store: LeaseStore
  beforeAll(async () => {
    database = await mysql.open()
    await install(database.pool, { schema: database.name })
    // The server's clock, but for sessions that have one of their own.
    await database.query('DROP FUNCTION _now_us')
    await database.query(
      `CREATE FUNCTION _now_us() RETURNS bigint NO SQL SQL SECURITY INVOKER
       RETURN coalesce(@clock_ms * 1000, timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)))`,
    )
  })
  afterAll(() => database?.close())
  beforeEach(async () => {
    await database.query('DELETE FROM _lease')
    await database.query(
      "UPDATE _lease_family SET server = 'none', margin_ms = 30000, durability = 'durable'",
    )
    // A server that is not durable gives out leases when the owner has said that it may.
    for (const family of ['sno', 'flake']) await database.query(`CALL lease_adopt('${family}')`)
    await database.query('UPDATE _lease_family SET floor_ms = 0')
    session = await database.pool.getConnection()
    store = mysqlLeases(session, { schema: database.name })
    await setClock(START_MS)
    return async () => {
      await session.query('SET @clock_ms = NULL, timestamp = DEFAULT')
      session.release()
    }
  })

  /** The clock of this session. */
  const setClock = async (ms: number): Promise<void> => {
    // The view's clock is that of the session.
    await session.query(`SET @clock_ms = ${ms}, timestamp = ${ms / 1000}`)
  }
  const get = (holder: string, changes: Partial<LeaseRequest> = {}): Promise<LeaseGrant> =>
    granted(store.acquire(request(holder, changes)))

  testStore(() => ({
    store,
    pooled: mysqlLeases(database.pool, { schema: database.name }),
    setClock,
    call: (call) => session.query(`CALL ${call}`),
    isHeld: async (token) =>
      (await database.query('SELECT 1 FROM _lease WHERE token = ?', [token])).length > 0,
    leases: async () => (await session.query('SELECT * FROM leases'))[0] as Record<string, unknown>[],
    refusal: (message) => ({ sqlState: '45000', message: expect.stringMatching(message) }),
  }))

  test('a request with the same token gets the same answer again', async () => {
    const values = ['0123abcd-0000-4000-8000-000000000000', 'sno', 'a', TTL_MS, 1, 2, 1, sno.layout.epochMs]
    const ask = async () => {
      const [results] = await session.query(`CALL lease_acquire(${values.map(() => '?')})`, values)
      return (results as unknown[])[0]
    }
    expect(await ask()).toEqual(await ask())
    expect(await database.query('SELECT number FROM leases')).toEqual([{ number: 1 }])
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
          message: expect.stringMatching(/another server granted .*lease_adopt/),
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
    await expect(get('a')).rejects.toThrow('innodb_flush_log_at_trx_commit is not 1')
  })

  test('refuses a transaction in progress, which a lease would commit', async ({ skip }) => {
    if (!database.label.startsWith('MariaDB')) return skip('MySQL does not say whether a transaction is open')
    await session.query('START TRANSACTION')
    await session.query(
      "INSERT INTO _lease_family (family, last_number, max_shards, server) VALUES ('x', 1, 1, '')",
    )
    await expect(store.acquire(request('a'))).rejects.toThrow('a transaction is open')
    await session.query('ROLLBACK')
    expect(await database.query("SELECT * FROM _lease_family WHERE family = 'x'")).toEqual([])
  })

  test('without options, and with one that does not exist, it says what is missing and what there is', async () => {
    await expect(leasePartition(database.pool, undefined as never)).rejects.toMatchObject({
      name: 'IdError',
      field: 'family',
    })
    await expect((async () => leasePartition(database.pool, null as never))()).rejects.toMatchObject({
      name: 'IdError',
      code: 'INVALID_OPTION',
    })
    const misspelt = { family: sno, numbers: { min: 1, max: 2 }, schemas: database.name }
    await expect(leasePartition(database.pool, misspelt as never)).rejects.toMatchObject({
      name: 'IdError',
      message: expect.stringMatching(/no option "schemas"; options are family, .*, schema$/),
    })
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
