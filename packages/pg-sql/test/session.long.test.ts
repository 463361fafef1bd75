import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { install, installSql, installStatements, postgresLeases, uninstall } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres, randomFrom } from '@snoflax/test'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { request } from './leases/acquire.js'

// A pool gives the session to somebody else afterwards.

const plainFlax = readFileSync(new URL('../dist/sql/plain-flax.sql', import.meta.url), 'utf8')

/** Unlike the defaults, and unlike what our functions and scripts set. */
const PREPARE = `
  DO 'BEGIN END';
  SET search_path = app, public; SET client_min_messages = notice; SET synchronous_commit = off; SET DateStyle = 'German';
  SET IntervalStyle = 'iso_8601'; SET TimeZone = 'Asia/Kathmandu'; SET bytea_output = 'escape'; SET extra_float_digits = 0;
  SET quote_all_identifiers = on; SET standard_conforming_strings = off; SET backslash_quote = on;
  SET escape_string_warning = off; SET lock_timeout = 5000; SET statement_timeout = 60000; SET work_mem = '1MB';
  SET default_transaction_isolation = 'repeatable read'; SET check_function_bodies = off; SET row_security = off;
  SET plan_cache_mode = force_generic_plan; SET application_name = 'the pool';
  SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ;
  PREPARE kept AS SELECT 1; LISTEN kept; CREATE TEMP TABLE kept (); SELECT pg_advisory_lock(7);
  DECLARE kept CURSOR WITH HOLD FOR SELECT 1`

const SETTINGS =
  "SELECT name || ' = ' || setting AS has FROM pg_settings WHERE name <> 'transaction_isolation'"
const STATE = `${SETTINGS}
  UNION ALL SELECT format('%s %s %s', session_user, current_user, current_setting('role'))
  UNION ALL SELECT format('%s lock %s %s %s', locktype, classid, objid, mode) FROM pg_locks
   WHERE pid = pg_backend_pid() AND locktype NOT IN ('relation', 'virtualxid')
  UNION ALL SELECT 'listens ' || c FROM pg_listening_channels() c
  UNION ALL SELECT 'prepared ' || name FROM pg_prepared_statements
  UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE name <> ''
  UNION ALL SELECT 'temporary ' || relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()
  ORDER BY 1`

const stateOf = async (client: Client, query = STATE): Promise<string[]> =>
  (await client.query<{ has: string }>(query)).rows.map(({ has }) => has)

const call = (sql: string) => (client: Client) => client.query(`SELECT snoflax.${sql}`)
const store = (work: (one: ReturnType<typeof postgresLeases>) => Promise<unknown>) => (client: Client) =>
  work(postgresLeases(client))

const WORK: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  install: (client) => install(client),
  'install for roles': (client) => install(client, { grantTo: ['pg_monitor'], grantLeases: ['pg_monitor'] }),
  'install elsewhere': (client) => install(client, { schema: 'ids', families: ['flax', 'sno'] }),
  'uninstall elsewhere': (client) => uninstall(client, { schema: 'ids' }),
  'one by one': async (client) => {
    await client.query('BEGIN')
    try {
      for (const statement of installStatements()) await client.query(statement)
    } finally {
      await client.query('COMMIT')
    }
  },
  'plain flax': (client) =>
    client.query(plainFlax.replaceAll('snoflax.', 'plain.').replace('S snoflax', 'S plain')),
  ...Object.fromEntries(
    [
      'sno_set_partition(7)',
      'flake_set_worker(1, 2)',
      "uid_set_node('here')",
      'sno_generate()',
      'flake_generate()',
      'uid_generate()',
      'uid_local_generate()',
      'flax_generate_text()',
      'uuid7_generate()',
      "typeid_generate('user')",
      "lease_adopt('sno')",
      "lease_reset('sno', 1, 64)",
      "lease_set_max_ttl('sno', 30000)",
      "lease_confirm_max_ttl('sno')",
      "lease_of('sno', 1)",
      "partition_ddl('keyed', 'flax', 'text', '2026-11-01Z', '2027-11-01Z', '1 day')",
      '_definitions()',
      'version()',
    ].map((sql) => [sql, call(sql)]),
  ),
  lease: store(async (leases) => {
    const lease = await leases.acquire(request('a', { numbers: { min: 10, max: 9999 } }))
    if (!('token' in lease)) return
    await leases.renew(lease.token, 1000, lease.startMs)
    await leases.release(lease.token, lease.startMs)
  }),
}

const FAILING: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'install as nobody': (client) => install(client, { schema: 'app', grantTo: ['nobody at all'] }),
  'uninstall of nothing': (client) => uninstall(client, { schema: 'nowhere' }),
  'uninstall of what is used': (client) => uninstall(client),
  ...Object.fromEntries(
    [
      'sno_set_partition(70000)',
      'flake_set_worker(1, 2, -1)',
      "uid_set_node('')",
      'sno_generate(300)',
      'flake_generate_many(-1)',
      "typeid_generate('-')",
      "lease_adopt('none')",
      "lease_reset('sno', 2, 1)",
      "lease_set_max_ttl('sno', 1)",
      "lease_confirm_max_ttl('none')",
      "lease_acquire('sno', 'a', 1, 1, 1, 1, 0)",
      "lease_renew(NULL, 1, 1) FROM snoflax.lease_renew('no uuid', 1, 1)",
      "partition_ddl('keyed', 'flax', 'uuid', '2026-11-01Z', '2027-11-01Z', '1 day')",
      'nothing()',
    ].map((sql) => [sql, call(sql)]),
  ),
}

describe('a session after a call is as it was before', () => {
  let database: PostgresDatabase
  let session: Client
  let other: Client
  beforeAll(async () => {
    database = await postgres.open()
    await database.query(
      `CREATE SCHEMA app; CREATE TABLE app.keyed (id text COLLATE "C") PARTITION BY RANGE (id)`,
    )
    await database.query(installSql())
    await database.query(`ALTER TABLE app.keyed ADD CHECK (snoflax.flax_is_valid(id))`)
    session = await database.connect()
    session.on('error', () => {})
    other = await database.connect()
    await session.query(PREPARE)
  })
  afterAll(() => database.close())

  test.each(Object.keys(WORK))('%s', async (name) => {
    const work = WORK[name] as (client: Client) => Promise<unknown>
    const before = await stateOf(session)
    await work(session)
    expect(await stateOf(session)).toEqual(before)
    if (name === 'one by one' || name === 'lease') return
    // In a transaction, too, but that its commit survives a crash.
    await session.query('BEGIN')
    await work(session).catch(() => session.query('ROLLBACK; BEGIN'))
    const settings = await stateOf(session, SETTINGS)
    await session.query('ROLLBACK')
    expect(settings.filter((one) => !before.includes(one) && one !== 'synchronous_commit = local')).toEqual(
      [],
    )
    expect(await stateOf(session)).toEqual(before)
  })

  test.each(Object.keys(FAILING))('%s, which fails', async (name) => {
    const before = await stateOf(session)
    await expect((FAILING[name] as (client: Client) => Promise<unknown>)(session)).rejects.toMatchObject({
      code: expect.any(String),
    })
    expect(await stateOf(session)).toEqual(before)
  })

  test('whenever it is cancelled', async () => {
    const random = randomFrom(7)
    const names = Object.keys(WORK)
    const before = await stateOf(session)
    const { rows } = await session.query('SELECT pg_backend_pid() AS pid')
    let cancelled = 0
    for (let i = 0; i < 200; i++) {
      const name = names[random(names.length)] as string
      const working = (WORK[name] as (client: Client) => Promise<unknown>)(session).catch((error) => {
        if (error.code === '57014') cancelled += 1
      })
      const ms = random(4) === 0 ? random(60) : random(400) / 100
      await pause(ms)
      await other.query('SELECT pg_cancel_backend($1)', [rows[0].pid])
      await working
      // One that comes late ends nothing of ours.
      await session.query('SELECT pg_sleep(0.001)').catch(() => {})
      expect(await stateOf(session), name).toEqual(before)
    }
    expect(cancelled).toBeGreaterThan(20)
  })
})
