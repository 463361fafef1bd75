import { install, installSql } from '@snoflax/pg-sql'
import { onConnection, type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES, suffix } from './families.js'

let database: PostgresDatabase
let granted: { name: string; url: string }
let leaser: { name: string; url: string }
let stranger: { name: string; url: string }

beforeAll(async () => {
  database = await postgres.open()
  granted = await database.role()
  leaser = await database.role()
  stranger = await database.role()
  await install(database.pool, { grantTo: [granted.name], grantLeases: [leaser.name] })
  await database.query('SELECT snoflax.sno_set_partition(1), snoflax.flake_set_worker(1, 2)')
  await database.query("SELECT snoflax.uid_set_node('here')")
})
afterAll(() => database.close())

const as = (role: { url: string }, sql: string) =>
  onConnection(role.url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows)

const generators = FAMILIES.flatMap(({ name, family }) =>
  family.storages.map((storage) => `snoflax.${name}_generate${suffix(storage)}()`),
)

const OWNERS = [
  'SELECT snoflax.sno_set_partition(9)',
  'SELECT snoflax.flake_set_worker(9, 9)',
  "SELECT snoflax.uid_set_node('there')",
  'SELECT snoflax.uid_set_node(9)',
  "SELECT snoflax.lease_set_max_ttl('sno', 9)",
  "SELECT snoflax.lease_confirm_max_ttl('sno')",
  "SELECT snoflax.lease_adopt('sno')",
  "SELECT snoflax.lease_reset('sno', 1, 9)",
  "SELECT snoflax._clock_set_number('sno', 9)",
  "SELECT snoflax._clock_constant('_sno_number', 9)",
  "SELECT snoflax._clock_mend('sno')",
]

describe('a role named in grantTo', () => {
  test.each(generators)('may call %s', async (generator) => {
    // Three, since the first takes the slow path.
    const rows = await as(granted, `SELECT ${generator}::text AS id FROM generate_series(1, 3)`)
    expect(new Set(rows.map((row) => row['id'])).size).toBe(3)
  })

  test('may read ids and search', async () => {
    const sql = `SELECT snoflax.flax_time('0RdKJcxqVBiAiQr0') > '2015-01-01Z' AS later,
      '0RdKJcxqVBiAiQr0' > snoflax.flax_lower_bound_text('2015-01-01Z') COLLATE "C" AS above`
    expect(await as(granted, sql)).toEqual([{ later: true, above: true }])
  })

  test.each([
    ...OWNERS,
    "SELECT setval('snoflax.sno_state', 1)",
    "SELECT setval('snoflax._sno_timeline', 1)",
    'UPDATE snoflax._generator SET number = 9',
    'DELETE FROM snoflax._generator',
    "INSERT INTO snoflax._generator (family) VALUES ('own')",
    'CREATE TABLE snoflax.own (id integer)',
    'CREATE OR REPLACE FUNCTION snoflax._clock_us() RETURNS bigint LANGUAGE sql RETURN 1',
    'DROP FUNCTION snoflax.flax_generate()',
    'DROP SCHEMA snoflax CASCADE',
    'ALTER SEQUENCE snoflax.sno_state CACHE 100',
  ])('may not: %s', async (sql) => {
    await expect(as(granted, sql)).rejects.toMatchObject({ code: '42501' })
  })

  test('cannot move the timeline by nextval', async () => {
    await as(granted, 'SELECT snoflax.sno_generate()')
    const before = await database.query('SELECT last_value FROM snoflax._sno_timeline')
    await expect(as(granted, "SELECT nextval('snoflax._sno_timeline')")).rejects.toMatchObject({
      code: '2200H',
    })
    expect(await database.query('SELECT last_value FROM snoflax._sno_timeline')).toEqual(before)
  })
})

const LEASES = [
  "SELECT snoflax.lease_acquire('sno', 'a', 1000, 1, 64, 100, 0)",
  'SELECT snoflax.lease_renew(NULL, 1000, 0)',
  'SELECT snoflax.lease_release(NULL, 0)',
]

describe('leases', () => {
  test.each(LEASES)('are not for a role that may only generate ids: %s', async (sql) => {
    await expect(as(granted, sql)).rejects.toMatchObject({ code: '42501' })
  })

  test.each(LEASES)('are for a role named in grantLeases, which may do nothing else: %s', async (sql) => {
    await as(leaser, sql)
    await expect(as(leaser, 'SELECT snoflax.sno_generate()')).rejects.toMatchObject({ code: '42501' })
  })

  test('are refused for families that have none', () => {
    expect(() => installSql({ families: ['flax', 'uid'], grantLeases: ['app'] })).toThrow(
      expect.objectContaining({ name: 'IdError', code: 'INVALID_OPTION', field: 'grantLeases' }),
    )
  })
})

describe('any other role', () => {
  test('may not read ids', async () => {
    const reading = as(stranger, "SELECT snoflax.flax_time('0RdKJcxqVBiAiQr0')")
    await expect(reading).rejects.toMatchObject({ code: '42501' })
  })

  test.each(generators)('may not call %s', async (generator) => {
    await expect(as(stranger, `SELECT ${generator}`)).rejects.toMatchObject({ code: '42501' })
  })
})

test("if functions are not granted to PUBLIC by default, a role named in grantTo may call all but the owner's", async () => {
  const other = await postgres.open()
  try {
    const role = await other.role()
    await other.query('ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC')
    await install(other.pool)
    await install(other.pool, { families: ['flax'], grantTo: [role.name] })
    await other.query(
      'SELECT snoflax.sno_set_partition(1), snoflax.flake_set_worker(1, 2), snoflax.uid_set_node(1)',
    )
    for (const call of [...generators, 'snoflax.min(NULL::uuid)', "snoflax.flax_time('0RdKJcxqVBiAiQr0')"]) {
      await as(role, `SELECT ${call}`)
    }
    for (const call of [...OWNERS, ...LEASES])
      await expect(as(role, call)).rejects.toMatchObject({ code: '42501' })
  } finally {
    await other.close()
  }
})

test('a role whose name needs quotes can be granted', async () => {
  const other = await postgres.open()
  const name = `${other.name} "odd'; --`
  const quoted = `"${name.replaceAll('"', '""')}"`
  try {
    await other.query(`CREATE ROLE ${quoted}`)
    await install(other.pool, { families: ['flax'], grantTo: [name] })
    const rows = await other.query("SELECT has_schema_privilege($1, 'snoflax', 'USAGE') AS may", [name])
    expect(rows).toEqual([{ may: true }])
  } finally {
    await other.query(`DROP OWNED BY ${quoted}; DROP ROLE ${quoted}`)
    await other.close()
  }
})

test("a role whose name contains the default schema's is granted in another schema", async () => {
  const other = await postgres.open()
  const name = `${other.name}-snoflax`
  try {
    await other.query(`CREATE ROLE "${name}"`)
    await install(other.pool, { schema: 'ids', families: ['flax'], grantTo: [name] })
    const rows = await other.query("SELECT has_schema_privilege($1, 'ids', 'USAGE') AS may", [name])
    expect(rows).toEqual([{ may: true }])
  } finally {
    await other.query(`DROP OWNED BY "${name}"; DROP ROLE "${name}"`)
    await other.close()
  }
})

test('a role without superuser that may create in the database can install and generate ids', async () => {
  const other = await postgres.open()
  try {
    const { name, url } = await other.role()
    await other.query(`GRANT CREATE ON DATABASE ${other.name} TO ${name}`)
    await onConnection(url, async (client) => {
      await install(client)
      await install(client)
      await client.query('SELECT snoflax.sno_set_partition(5)')
      const { rows } = await client.query('SELECT (snoflax.sno_unpack(snoflax.sno_generate(2))).partition')
      expect(rows).toEqual([{ partition: 5 }])
    })
  } finally {
    await other.close()
  }
})
