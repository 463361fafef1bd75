import { install, installSql } from '@snoflax/pg-sql'
import { connectTo, onConnection, type PostgresDatabase, postgres } from '@snoflax/test'
import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES, suffix } from './families.js'
import { LEASES, OWNERS } from './owners.js'

interface Role {
  readonly name: string
  readonly url: string
}

let database: PostgresDatabase
let granted: Role
let leaser: Role
let stranger: Role
beforeAll(async () => {
  database = await postgres.open()
  granted = await database.role()
  leaser = await database.role()
  stranger = await database.role()
  await install(database.pool, { grantTo: [granted.name], grantLeases: [leaser.name] })
  await database.query(SET)
})
afterAll(async () => {
  await endSessions()
  await database.close()
})

const SET = 'SELECT snoflax.sno_set_partition(1), snoflax.flake_set_worker(1, 2), snoflax.uid_set_node(1)'

/** A database of one test. */
const others: PostgresDatabase[] = []
async function another(): Promise<PostgresDatabase> {
  const other = await postgres.open()
  others.push(other)
  return other
}
afterEach(async () => {
  if (others.length > 0) await endSessions()
  for (const other of others.splice(0)) await other.close()
})

/** A session of each role, since a test may ask hundreds of times. */
const sessions = new Map<string, Promise<Client>>()
async function as(role: Role, sql: string): Promise<Record<string, unknown>[]> {
  const session = sessions.get(role.name) ?? connectTo(role.url)
  sessions.set(role.name, session)
  const client = await session
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    if (sql.startsWith('BEGIN')) await client.query('ROLLBACK')
  }
}
async function endSessions(): Promise<void> {
  await Promise.all([...sessions.values()].map(async (session) => (await session).end()))
  sessions.clear()
}
const mayNot = (role: Role, sql: string) =>
  expect(as(role, sql), sql).rejects.toMatchObject({ code: '42501' })
const calls = (some: readonly string[]) => some.map((call) => `SELECT snoflax.${call}`)

const generators = FAMILIES.flatMap(({ name, family }) =>
  family.storages.map((storage) => `${name}_generate${suffix(storage)}()`),
)

describe('a role named in grantTo', () => {
  test.each(generators)('may call %s, over many units', async (generator) => {
    const rows = await as(
      granted,
      `SELECT snoflax.${generator}::text AS id, pg_sleep(0.001) FROM generate_series(1, 20)`,
    )
    expect(new Set(rows.map((row) => row['id'])).size).toBe(20)
  })

  test('may read ids and search', async () => {
    const sql = `SELECT snoflax.flax_time('0RdKJcxqVBiAiQr0') > '2015-01-01Z' AS later,
      '0RdKJcxqVBiAiQr0' > snoflax.flax_lower_bound_text('2015-01-01Z') COLLATE "C" AS above`
    expect(await as(granted, sql)).toEqual([{ later: true, above: true }])
  })

  test.each([
    ...calls([...OWNERS, ...LEASES]),
    'SELECT * FROM snoflax._generator',
    "SELECT setval('snoflax.sno_state', 1)",
    "SELECT setval('snoflax._sno_timeline', 1)",
    'UPDATE snoflax._generator SET number = 9',
    'DELETE FROM snoflax._generator',
    "INSERT INTO snoflax._generator (family) VALUES ('own')",
    'CREATE TABLE snoflax.own (id integer)',
    'CREATE FUNCTION snoflax._sno_number(integer) RETURNS bigint RETURN 1',
    'CREATE OR REPLACE FUNCTION snoflax._clock_us() RETURNS bigint RETURN 1',
    'DROP FUNCTION snoflax.flax_generate()',
    'DROP SCHEMA snoflax CASCADE',
    'ALTER SEQUENCE snoflax.sno_state CACHE 100',
  ])('may not: %s', (sql) => mayNot(granted, sql))

  test.each(['sno', 'flake', 'uid', 'uid_local'])(
    'cannot move the timeline of %s by nextval',
    async (family) => {
      await as(granted, `SELECT snoflax.${family}_generate()`)
      const before = await database.query(`SELECT last_value FROM snoflax._${family}_timeline`)
      const moving = as(granted, `SELECT nextval('snoflax._${family}_timeline')`)
      await expect(moving).rejects.toMatchObject({ code: '2200H' })
      expect(await database.query(`SELECT last_value FROM snoflax._${family}_timeline`)).toEqual(before)
    },
  )

  test("gets PostgreSQL's error in a read-only transaction, where only flax is generated", async () => {
    const readOnly = (family: string) => as(granted, `BEGIN READ ONLY; SELECT snoflax.${family}_generate()`)
    for (const family of ['sno', 'flake', 'uid', 'uid_local'])
      await expect(readOnly(family), family).rejects.toMatchObject({ code: '25006' })
    await readOnly('flax')
  })
})

describe('a role named in grantLeases', () => {
  test.each(calls(LEASES))('may lease: %s', async (sql) => {
    await as(leaser, sql)
  })

  test('may read the leases', async () => {
    await as(leaser, 'SELECT * FROM snoflax.leases')
    await as(leaser, "SELECT * FROM snoflax.lease_of('sno', 1)")
  })

  test.each([
    ...calls([...OWNERS, 'sno_generate()']),
    'SELECT token FROM snoflax._lease',
    'UPDATE snoflax._lease_family SET max_ttl_ms = 86400000',
  ])('may not: %s', (sql) => mayNot(leaser, sql))

  test('is refused for families that have no leases', () => {
    expect(() => installSql({ families: ['flax', 'uid'], grantLeases: ['app'] })).toThrow(
      expect.objectContaining({ name: 'IdError', code: 'INVALID_OPTION', field: 'grantLeases' }),
    )
  })
})

test.each(calls([...generators, "flax_time('0RdKJcxqVBiAiQr0')"]))('any other role may not: %s', (sql) =>
  mayNot(stranger, sql),
)

test('a role without USAGE on the sequence generates no ids', async () => {
  const other = await another()
  const role = await other.role()
  await other.query(`${installSql()}; GRANT USAGE ON SCHEMA snoflax TO ${role.name}; ${SET}`)
  await mayNot(role, 'SELECT snoflax.sno_generate()')
})

test("if functions are not granted to PUBLIC by default, a role named in grantTo may call all but the owner's", async () => {
  const other = await another()
  const role = await other.role()
  await other.query('ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC')
  await install(other.pool)
  await install(other.pool, { families: ['flax'], grantTo: [role.name] })
  await other.query(SET)
  for (const sql of calls([...generators, 'min(NULL::uuid)', "flax_time('0RdKJcxqVBiAiQr0')"]))
    await as(role, sql)
  for (const sql of calls([...OWNERS, ...LEASES])) await mayNot(role, sql)
})

test.each([
  ['that needs quotes', ` "odd'; --`, 'snoflax'],
  ["that contains the default schema's, in another schema", '-snoflax', 'ids'],
])('a role with a name %s can be granted', async (_, ending, schema) => {
  const other = await another()
  const name = `${other.name}${ending}`
  const quoted = `"${name.replaceAll('"', '""')}"`
  await other.query(`CREATE ROLE ${quoted}`)
  try {
    await install(other.pool, { schema, families: ['flax'], grantTo: [name] })
    const rows = await other.query('SELECT has_schema_privilege($1, $2, $3) AS may', [name, schema, 'USAGE'])
    expect(rows).toEqual([{ may: true }])
  } finally {
    await other.query(`DROP OWNED BY ${quoted}; DROP ROLE ${quoted}`)
  }
})

test('an owner whose name needs quotes installs, grants and installs again', async () => {
  const other = await another()
  const quoted = `"${other.name}@Example.com"`
  await other.query(`CREATE ROLE ${quoted}; GRANT CREATE ON DATABASE ${other.name} TO ${quoted}`)
  const session = await other.connect()
  try {
    await session.query(`SET SESSION AUTHORIZATION ${quoted}`)
    await install(session)
    await session.query('GRANT USAGE ON SCHEMA snoflax TO PUBLIC')
    await install(session)
  } finally {
    await session.query(`RESET SESSION AUTHORIZATION; DROP OWNED BY ${quoted}; DROP ROLE ${quoted}`)
    await session.end()
  }
})

test('an owner who is no superuser installs twice, sets numbers and generates ids', async () => {
  const other = await another()
  const { name, url } = await other.role()
  await other.query(`GRANT CREATE ON DATABASE ${other.name} TO ${name}`)
  await onConnection(url, async (client) => {
    await install(client)
    await install(client)
    await client.query(SET)
    for (const generator of generators) {
      await client.query(`SELECT snoflax.${generator}, pg_sleep(0.001) FROM generate_series(1, 20)`)
    }
    // The identity is read, not given up.
    const { rows } = await client.query(
      'SELECT snoflax._server_system() = system_identifier AS system, snoflax._server_timeline() AS timeline FROM pg_control_system()',
    )
    expect(rows).toEqual([{ system: true, timeline: '1' }])
  })
})
