import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { install, postgresLeases } from '@snoflax/pg-sql'
import { onConnection, type PostgresDatabase, type PostgresServer, poolTo, startServer } from '@snoflax/test'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { acquire, request, TTL_MS } from './acquire.js'
import { dumpableVersion } from './dumps.js'

// The rows of docs/leases.md, each done with the tools that people use.

/** The longest lease, and how far the clocks of two servers may differ. */
const MARGIN_MS = 30_000 + 10_000
const REFUSED = { code: '55000', message: expect.stringContaining('is a copy or was restored') }

const documentation = readFileSync(new URL('../../../../docs/leases.md', import.meta.url), 'utf8')
const documented = (name: string): void => expect(documentation).toContain(name)

let server: PostgresServer
let database: PostgresDatabase
let url: string

const version = dumpableVersion
const named = version === undefined ? 'NOT RUN: no pg_dump for any version' : `PostgreSQL ${version}`

const dump = (...options: string[]): string =>
  execFileSync('pg_dump', [...options, database.url], { encoding: 'utf8', maxBuffer: 1e8 })

const psql = (target: string, sql: string): string =>
  execFileSync('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', target], { input: sql, encoding: 'utf8' })

const TABLES = ['_lease_family', '_lease', '_generator', '_manifest']

describe.skipIf(version === undefined)(`a restored dump, ${named}`, () => {
  beforeAll(async () => {
    server = await startServer({ version: version as NonNullable<typeof version> })
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    database = await server.database()
    url = database.url
    await install(database.pool, { families: ['sno'] })
  })
  afterEach(() => database.close())

  /** Leases before and after what `dumped` does; then a restore, and what it comes to. */
  async function restored(dumped: () => string, restore: (text: string) => Promise<string>) {
    await acquire(database, request('before the dump', { numbers: { min: 1, max: 2 } }))
    const text = dumped()
    const later = await acquire(database, request('after it', { numbers: { min: 2, max: 3 } }))
    const pool = poolTo(await restore(text))
    return { later, pool, place: { pool }, store: postgresLeases(pool) }
  }

  const truncate = (...tables: string[]) =>
    onConnection(url, (client) =>
      client.query(`TRUNCATE ${tables.map((name) => `snoflax.${name}`).join()} CASCADE`),
    )

  const intoAnother = async (text: string) => {
    const { url: target } = await server.database()
    psql(target, text)
    return target
  }

  /** Into its own database, after what `prepare` does there. */
  const into = (prepare?: () => Promise<unknown>) => async (text: string) => {
    await prepare?.()
    psql(url, text)
    return url
  }

  // Without the rows of the families those of the leases stay.
  const keep =
    'ALTER TABLE snoflax._lease DISABLE TRIGGER ALL; ALTER TABLE snoflax._lease_family DISABLE TRIGGER ALL;'
  const keeping = (text: string) =>
    `${keep} DELETE FROM snoflax._lease_family; ${text} ${keep.replaceAll('DISABLE', 'ENABLE')}`

  test.each<[string, () => string, (text: string) => Promise<string>]>([
    ['whole, into its own database', () => dump('--clean'), into()],
    ['whole, into another database', () => dump(), intoAnother],
    [
      'one table, dropped before',
      () => dump('--table', 'snoflax._lease'),
      async (text) => {
        await into(() => database.query('DROP TABLE snoflax._lease CASCADE'))(text)
        await onConnection(url, (client) => install(client, { families: ['sno'] }))
        return url
      },
    ],
    [
      'data only, of all tables, into tables that stay',
      () => dump('--data-only', '--schema', 'snoflax'),
      into(() => truncate(...TABLES)),
    ],
    [
      'data only, of the table of leases',
      () => dump('--data-only', '--table', 'snoflax._lease'),
      into(() => truncate('_lease')),
    ],
    [
      'data only, of the table of families',
      () => keeping(dump('--data-only', '--table', 'snoflax._lease_family')),
      into(),
    ],
    [
      'data only, as INSERT statements',
      () => dump('--data-only', '--column-inserts', '--schema', 'snoflax'),
      into(() => truncate(...TABLES)),
    ],
    ['rows of leases lost', () => '', into(() => truncate('_lease'))],
  ])('%s: leases are refused until the owner adopts them', async (_, dumped, restore) => {
    documented('a dump, whole or of a table, into any database; rows lost by `TRUNCATE`')
    const { pool, place, store, later } = await restored(dumped, restore)
    try {
      await expect(store.acquire(request('c'))).rejects.toMatchObject(REFUSED)
      if (restore === intoAnother) {
        // Its numbers may be others' now, and the owner knows.
        await pool.query('SELECT snoflax.sno_set_partition(9)')
      } else {
        await expect(pool.query('SELECT snoflax.sno_set_partition(2)')).rejects.toMatchObject(REFUSED)
      }
      const before = Date.now()
      await pool.query("SELECT snoflax.lease_adopt('sno')")
      for (const number of [1, 2, 3]) {
        const next = await acquire(
          place,
          request('c', { numbers: { min: number, max: number }, ttlMs: 100 }),
        ).catch(() => undefined)
        if (next === undefined) continue
        expect(next.startMs).toBeGreaterThanOrEqual(before + MARGIN_MS)
        expect(next.startMs).toBeGreaterThanOrEqual(later.untilMs)
      }
    } finally {
      await pool.end()
    }
  })

  test('from before the first lease: leases are refused until the owner adopts them', async () => {
    const target = await intoAnother(dump())
    await onConnection(target, async (client) => {
      const store = postgresLeases(client)
      for (const again of [false, true]) {
        if (again) await install(client, { families: ['sno'] })
        await expect(store.acquire(request('a'))).rejects.toMatchObject(REFUSED)
      }
      await client.query("SELECT snoflax.lease_adopt('sno')")
      await expect(store.acquire(request('a'))).resolves.toMatchObject({ number: 1 })
    })
  })

  test('structure only: leases are refused until it is installed again and the owner adopts them', async () => {
    documented('structure only')
    const { pool, place, store } = await restored(() => dump('--schema-only'), intoAnother)
    try {
      const missing = { code: '55000', hint: expect.stringContaining('Install again') }
      for (const sql of [
        'SELECT snoflax.sno_set_partition(1)',
        'SELECT snoflax.sno_generate()',
        "SELECT snoflax.lease_adopt('sno')",
        "SELECT snoflax.lease_reset('sno', 1, 2)",
        "SELECT snoflax.lease_set_max_ttl('sno', 1000)",
      ]) {
        await expect(pool.query(sql), sql).rejects.toMatchObject(missing)
      }
      await expect(store.acquire(request('c'))).rejects.toMatchObject(missing)
      await install(pool, { families: ['sno'] })
      await expect(store.acquire(request('c'))).rejects.toMatchObject(REFUSED)
      await expect(pool.query('SELECT snoflax.sno_set_partition(9)')).rejects.toMatchObject(REFUSED)
      await pool.query("SELECT snoflax.lease_adopt('sno')")
      await acquire(place, request('c'))
      await expect(pool.query('SELECT snoflax.sno_set_partition(9)')).rejects.toMatchObject({
        message: expect.stringContaining('by the previous server'),
      })
    } finally {
      await pool.end()
    }
  })

  test('a restore that keeps the rows keeps the leases', async () => {
    documented('`VACUUM FREEZE`, `VACUUM FULL`, `CLUSTER`, `REINDEX`, `ANALYZE`')
    const held = await acquire(database, request('a'))
    for (const table of ['_lease', '_lease_family']) {
      await database.query(`VACUUM FREEZE snoflax.${table}`)
      await database.query(`VACUUM FULL snoflax.${table}`)
      await database.query(`CLUSTER snoflax.${table} USING ${table}_pkey`)
      await database.query(`REINDEX TABLE snoflax.${table}`)
      await database.query(`ANALYZE snoflax.${table}`)
    }
    const store = postgresLeases(database.pool)
    expect(await store.renew(held.token, TTL_MS, held.startMs)).toMatchObject({ startMs: held.startMs })
    expect(await acquire(database, request('b'))).toMatchObject({ number: 2 })
  })

  test('a holder whose row was restored loses its lease, and releases nothing', async () => {
    const held = await acquire(database, request('a'))
    await database.query('CREATE TABLE dumped AS TABLE snoflax._lease; TRUNCATE snoflax._lease')
    await database.query('INSERT INTO snoflax._lease TABLE dumped')
    const store = postgresLeases(database.pool)
    await expect(store.renew(held.token, TTL_MS, held.startMs)).rejects.toMatchObject(REFUSED)
    const released = await database.query('SELECT snoflax.lease_release($1, 0) AS done', [held.token])
    expect(released).toEqual([{ done: false }])
    await expect(store.acquire(request('b'))).rejects.toMatchObject(REFUSED)
  })
})
