import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { flake, sno } from '@snoflax/core'
import { install, installSql, postgresLeases, uninstall } from '@snoflax/pg-sql'
import { onConnection, type PostgresDatabase, postgres, urlTo } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { putClock, type ScriptedClock, START_US, scriptClock } from '../faults/scripted-clock.js'
import { inCopyOf, openPostgres, waiting } from '../installed.js'
import { acquire, flakeRequest, request, TTL_MS } from './acquire.js'

const START_MS = START_US / 1000
const NUMBERS = 'SELECT snoflax.sno_set_partition(5), snoflax.flake_set_worker(0, 5)'

let database: PostgresDatabase
let clock: ScriptedClock
beforeEach(async () => {
  database = await openPostgres()
  clock = await scriptClock(database)
})
afterEach(() => database.close())

const pass = (ms: number): Promise<void> => clock.move(ms * 1000)
const setPartition = (number: number) => database.query('SELECT snoflax.sno_set_partition($1)', [number])
const generated = async () => {
  const [row] = await database.query('SELECT snoflax.sno_generate_text() AS id')
  return sno.unpack(sno.parse(row?.['id']))
}

describe("the number of the database's own generator", () => {
  test('is never leased, nor is one that it used before', async () => {
    await setPartition(1)
    await setPartition(2)
    await pass(86_400_000)
    const answer = await postgresLeases(database.pool).acquire(request('a'))
    expect(answer).toEqual({ retryMs: undefined })
    const rows = await database.query('SELECT number, state FROM snoflax.leases ORDER BY number')
    expect(rows).toEqual([
      { number: 1, state: 'database' },
      { number: 2, state: 'database' },
    ])
    await setPartition(1)
    expect(await generated()).toMatchObject({ partition: 1 })
  })

  test('cannot be a leased one, whether held, expired or released early', async () => {
    const { token } = await acquire(database, request('the shop'))
    const refusal = { code: '55000', message: expect.stringContaining('leased to the shop') }
    await expect(setPartition(1)).rejects.toMatchObject(refusal)
    await postgresLeases(database.pool).release(token, START_MS + 3000)
    await expect(setPartition(1)).rejects.toMatchObject(refusal)
    await pass(2999)
    await expect(setPartition(1)).rejects.toMatchObject(refusal)
    await pass(1)
    await setPartition(1)
  })

  test('generates no id in a window that was leased, even if the clock moves back after it was set', async () => {
    const { untilMs } = await acquire(database, request('a'))
    await pass(TTL_MS)
    await setPartition(1)
    await pass(-8000)
    const { timeMs, partition } = await generated()
    expect(partition).toBe(1)
    expect(timeMs).toBeGreaterThanOrEqual(untilMs)
  })

  test('can be set while the state is far ahead of the clock, as after a wrong clock', async () => {
    await setPartition(5)
    await pass(3_600_000)
    await generated()
    await pass(-3_600_000)
    await expect(generated()).rejects.toMatchObject({ code: '55000' })
    await setPartition(6)
    await database.query("SELECT setval('snoflax.sno_state', 0)")
    expect(await generated()).toMatchObject({ partition: 6, timeMs: START_MS })
  })

  test('is refused for flake with another epoch than it was leased for', async () => {
    const set = (epochMs: number) => database.query('SELECT snoflax.flake_set_worker(0, 1, $1)', [epochMs])
    await acquire(database, flakeRequest('a'))
    await pass(TTL_MS)
    await expect(set(Date.UTC(2020, 0, 1))).rejects.toMatchObject({
      code: '55000',
      message: expect.stringContaining('epoch_ms'),
    })
    await set(0)
    const [row] = await database.query('SELECT snoflax.flake_encode(snoflax.flake_generate()) AS id')
    expect(flake.unpack(flake.parse(row?.['id']))).toMatchObject({ worker: 1 })
  })

  test('is known to leases after an upgrade from a version without leases', async () => {
    await setPartition(2)
    await database.query(`
      DROP VIEW snoflax.leases CASCADE; DROP TABLE snoflax._lease, snoflax._lease_family CASCADE`)
    await install(database.pool)
    await putClock(database)
    // The tables may have been lost, and the leases with them.
    await expect(acquire(database, request('a'))).rejects.toMatchObject({ code: '55000' })
    await database.query("SELECT snoflax.lease_adopt('sno')")
    expect(await acquire(database, request('a'))).toMatchObject({ number: 1 })
    expect(await postgresLeases(database.pool).acquire(request('b'))).toEqual({ retryMs: TTL_MS })
  })
})

test('installing again keeps the leases', async () => {
  const { token } = await acquire(database, request('a'))
  await database.query("SELECT snoflax.lease_set_max_ttl('sno', 60000)")
  await database.query("SELECT snoflax.lease_confirm_max_ttl('sno')")
  await install(database.pool)
  await putClock(database)
  await pass(1000)
  const store = postgresLeases(database.pool)
  expect(await store.renew(token, 60_000, START_MS)).toMatchObject({ untilMs: START_MS + 61_000 })
})

test.each(['without-margins', 'without-signatures'])(
  'an upgrade from an earlier version keeps leases and numbers: %s',
  async (name) => {
    const old = await postgres.open()
    try {
      const text = gunzipSync(readFileSync(new URL(`../earlier/${name}.sql.gz`, import.meta.url)))
      await old.query(text.toString())
      await old.query(NUMBERS)
      const store = postgresLeases(old.pool)
      const held = await acquire(old, request('a', { shards: 2 }))
      const released = await acquire(old, request('b', { numbers: { min: 2, max: 2 } }))
      await store.release(released.token, released.untilMs)
      await old.query("UPDATE snoflax._lease_family SET max_ttl_ms = 60000 WHERE family = 'sno'")

      // In a subtransaction, as migrations may run in one.
      await old.query(`BEGIN; SAVEPOINT before; ${installSql()}; RELEASE before; COMMIT`)
      expect(await store.renew(held.token, 60_000, held.startMs)).toMatchObject({ startMs: held.startMs })
      expect(await acquire(old, request('b', { numbers: { min: 2, max: 2 } }))).toMatchObject({
        startMs: released.untilMs,
      })
      expect(await store.acquire(request('c', { numbers: { min: 5, max: 5 } }))).toEqual({
        retryMs: undefined,
      })
      await old.query('SELECT snoflax.sno_generate(), snoflax.flake_generate(), snoflax.sno_set_partition(6)')
      expect(
        await old.query("SELECT margin_ms, leases FROM snoflax._lease_family WHERE family = 'sno'"),
      ).toEqual([{ margin_ms: 60_000, leases: 5 }])
      const drift = `SELECT object FROM snoflax._manifest m FULL JOIN snoflax._definitions() d USING (object)
      WHERE m.parts IS DISTINCT FROM d.parts`
      expect(await old.query(drift)).toEqual([])
    } finally {
      await old.close()
    }
  },
)

test('uninstall is refused while numbers are leased, since the next installation would grant them again', async () => {
  const { token } = await acquire(database, request('the shop'))
  const refusal = { code: '2BP01', detail: expect.stringContaining('sno 1, the shop until') }
  const reader = await database.connect()
  await reader.query('BEGIN; TABLE snoflax.leases')
  await expect(uninstall(database.pool), 'waits for no reader').rejects.toMatchObject(refusal)
  await reader.end()
  await postgresLeases(database.pool).release(token, START_MS + 1000)
  await expect(uninstall(database.pool)).rejects.toMatchObject(refusal)
  await pass(1001)
  await uninstall(database.pool)
  expect(await database.query("SELECT to_regnamespace('snoflax') AS schema")).toEqual([{ schema: null }])
})

test.each([
  ['read committed', '2BP01'],
  ['repeatable read', '40001'],
])(
  'uninstall with isolation level %s waits for leases in progress, and is refused (%s)',
  async (isolation, code) => {
    const [holder, owner] = [await database.connect(), await database.connect()]
    await holder.query("BEGIN; SELECT snoflax.lease_acquire('sno', 'the shop', 1000, 1, 1, 1, 0)")
    await owner.query(`SET default_transaction_isolation = '${isolation}'`)
    const refused = expect(uninstall(owner)).rejects.toMatchObject({ code })
    await expect.poll(() => waiting(database)).toHaveLength(1)
    await holder.query('COMMIT')
    await refused
    await holder.end()
    await owner.end()
  },
)

test.each(['lease_release($1, NULL)', 'lease_renew($1, 10000, NULL)', "lease_adopt(left($1, 0) || 'sno')"])(
  'neither uninstall nor %s at the same moment fails of a deadlock',
  async (sql) => {
    const { token } = await acquire(database, request('a'))
    await pass(TTL_MS + 1)
    const [blocker, holder, owner] = await Promise.all([1, 2, 3].map(() => database.connect()))
    await blocker?.query('BEGIN; SELECT FROM snoflax._lease FOR UPDATE')
    const working = holder?.query(`SELECT snoflax.${sql}`, [token])
    await expect.poll(() => waiting(database)).toHaveLength(1)
    const removed = uninstall(owner as NonNullable<typeof owner>).catch((error) => error)
    await expect.poll(() => waiting(database)).toHaveLength(2)
    await blocker?.query('COMMIT')
    await working
    expect([undefined, '2BP01']).toContain((await removed)?.code)
  },
)

test('a renewal on a new timeline has a window that does not end before it begins', async () => {
  const { token } = await acquire(database, request('a'))
  await database.query(
    'UPDATE snoflax._lease_family SET timeline = timeline + 1, written_by = pg_current_xact_id()::xid',
  )
  const renew = () => postgresLeases(database.pool).renew(token, TTL_MS, null as unknown as number)
  expect(await renew()).toMatchObject({ startMs: START_MS + 40_000, untilMs: START_MS + 40_000 })
  await pass(40_000)
  expect(await renew()).toMatchObject({ startMs: START_MS + 40_000, untilMs: START_MS + 50_000 })
})

test("a copy of the database grants nothing until it is allowed to, and then none of the original's windows", async () => {
  const { token, untilMs } = await acquire(database, request('a'))
  await inCopyOf(database, async (client) => {
    const store = postgresLeases(client)
    const refusal = { code: '55000', message: expect.stringContaining('copy') }
    await expect(store.acquire(request('b'))).rejects.toMatchObject(refusal)
    await expect(store.renew(token, TTL_MS, START_MS)).rejects.toMatchObject(refusal)
    await client.query("SELECT snoflax.lease_adopt('sno')")
    expect(await store.acquire(request('b'))).toMatchObject({ number: 2, startMs: START_MS + 40_000 })
    // Holders that live on go over to the new windows.
    const { startMs } = (await store.renew(token, TTL_MS, START_MS)) as { startMs: number }
    expect(startMs).toBeGreaterThanOrEqual(Math.max(untilMs, START_MS + 40_000))
  })
})

describe('before the first lease', () => {
  const REFUSED = { code: '55000', message: expect.stringContaining('is a copy') }
  const earlier = (name: string) =>
    gunzipSync(readFileSync(new URL(`../earlier/${name}.sql.gz`, import.meta.url))).toString()

  test.each<[string, string[]]>([
    ['an installation', [installSql()]],
    ['an installation of one family', [installSql({ families: ['flake'] })]],
    ['one that was repeated', [installSql(), installSql()]],
    ['one in steps', [installSql({ families: ['flax'] }), installSql()]],
    ['one in a subtransaction', [`BEGIN; SAVEPOINT before; ${installSql()}; RELEASE before; COMMIT`]],
    ['an upgrade', [earlier('without-margins'), installSql()]],
    ['an upgrade with a number', [earlier('without-signatures'), NUMBERS, installSql()]],
  ])(
    'copies lease nothing until they are allowed to, however they are installed again: %s',
    async (_, steps) => {
      const original = await postgres.open()
      const asked = flakeRequest('a')
      try {
        for (const sql of steps) await original.query(sql)
        await inCopyOf(original, async (client) => {
          for (const again of ['', installSql(), installSql({ families: ['sno'] })]) {
            await client.query(again)
            await expect(postgresLeases(client).acquire(asked)).rejects.toMatchObject(REFUSED)
          }
          // The number is the owner's to know, in a copy.
          await client.query('SELECT snoflax.flake_set_worker(3, 3)')
          await expect(postgresLeases(client).acquire(asked)).rejects.toMatchObject(REFUSED)
          await client.query("SELECT snoflax.lease_adopt('flake')")
          await acquire({ pool: client as unknown as PostgresDatabase['pool'] }, asked)
        })
        const renamed = `${original.name}_renamed`
        await onConnection(urlTo(original.url, { database: 'postgres' }), async (admin) => {
          await admin.query(`ALTER DATABASE ${original.name} RENAME TO ${renamed}`)
          await onConnection(urlTo(original.url, { database: renamed }), (client) =>
            acquire({ pool: client as unknown as PostgresDatabase['pool'] }, asked),
          )
          await admin.query(`ALTER DATABASE ${renamed} RENAME TO ${original.name}`)
        })
        expect(await acquire(original, asked)).toMatchObject({ number: 2 })
      } finally {
        await original.close()
      }
    },
  )
})

test.each([
  ['all tables', ['_lease_family', '_lease', '_generator']],
  ['the table of leases', ['_lease']],
  ['the table of families', ['_lease_family']],
])(
  'a dump restored into its own database grants nothing until the owner adopts it: %s',
  async (_, tables) => {
    await acquire(database, request('a'))
    for (const table of tables)
      await database.query(`CREATE TABLE public.dump${table} AS TABLE snoflax.${table}`)
    // After the dump: the other number, and a window of the first one that is prolonged.
    const b = await acquire(database, request('b'))
    for (const table of tables) await database.query(`DROP TABLE snoflax.${table} CASCADE`)
    await install(database.pool)
    await putClock(database)
    for (const table of tables) {
      await database.query(
        `TRUNCATE snoflax.${table} CASCADE; INSERT INTO snoflax.${table} TABLE public.dump${table}`,
      )
    }
    const store = postgresLeases(database.pool)
    const refusal = { code: '55000', message: expect.stringContaining('was restored') }
    await expect(store.acquire(request('c'))).rejects.toMatchObject(refusal)
    await database.query("SELECT snoflax.lease_adopt('sno')")
    const c = await acquire(database, request('c', { numbers: { min: 1, max: 3 } }))
    expect(c.startMs).toBeGreaterThanOrEqual(START_MS + 40_000)
    expect(c.startMs).toBeGreaterThanOrEqual(b.untilMs)
  },
)
