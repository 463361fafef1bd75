import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres } from './installed.js'

// The partitions that it makes are searched in plans.test.ts.

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

type Query = (sql: string) => Promise<Record<string, unknown>[]>

/** Runs the statements of partition_ddl; `given` is family, storage, from, until and step. */
async function makePartitions(
  table: string,
  input: string,
  query: Query = (sql) => database.query(sql),
): Promise<string[]> {
  const literals = input.split(', ').map((one) => `'${one}'`)
  const rows = await query(`SELECT snoflax.partition_ddl('${table}', ${literals.join(', ')}) AS ddl`)
  const statements = rows.map(({ ddl }) => ddl as string)
  for (const statement of statements) await query(statement)
  return statements
}

test('creates days, and a second call that overlaps changes nothing', async () => {
  await database.query('CREATE TABLE "Daily log" (id uuid) PARTITION BY RANGE (id)')
  const first = await makePartitions('"Daily log"', 'flax, uuid, 2026-02-26Z, 2026-03-02Z, 1 day')
  const created = (statements: string[]) => statements.filter((ddl) => ddl.startsWith('CREATE'))
  expect(created(first).map((ddl) => /"Daily log_(\d+_\d+_\d+)"/.exec(ddl)?.[1])).toEqual([
    '2026_02_26',
    '2026_02_27',
    '2026_02_28',
    '2026_03_01',
  ])
  const second = await makePartitions('"Daily log"', 'flax, uuid, 2026-03-01Z, 2026-03-03Z, 1 day')
  expect(second[0]).toBe(created(first)[3])
  expect(created(second)).toHaveLength(2)
  // Of what a first call created, a second one doesn't change the statistics again.
  expect(second).toHaveLength(3)
})

test('gives partitions by uuid the statistics that their ranges need', async () => {
  const targets = async (key: string) => {
    const rows = await database.query(
      `SELECT DISTINCT (to_jsonb(a) ->> 'attstattarget')::integer AS target FROM pg_attribute a JOIN pg_inherits ON inhrelid = attrelid
        WHERE inhparent = 'counted'::regclass AND attname = $1`,
      [key],
    )
    return rows.map(({ target }) => target)
  }
  await database.query('CREATE TABLE counted ("own Key" uuid, n int) PARTITION BY RANGE ("own Key")')
  await makePartitions('counted', 'uuid7, uuid, 2026-01-01Z, 2026-04-01Z, 1 month')
  expect(await targets('own Key')).toEqual([10000])
  expect(await targets('n')).not.toEqual([10000])
})

test.each([
  ["DEFAULT ('cus_'::text || snoflax.flax_generate_text())", 'cus_'],
  ["DEFAULT snoflax.flax_encode(snoflax.flax_generate(), 'a_1')", 'a_1_'],
  ["CHECK (snoflax.flax_is_valid(id, 'cus'))", 'cus_'],
  ["CHECK (length(id) = 20 AND substr(id, 1, 4) = 'cus_')", 'cus_'],
  ['DEFAULT snoflax.flax_generate_text()', ''],
  ['CHECK (length(id) = 16)', ''],
  ['CHECK (snoflax.flax_is_valid(id))', ''],
])('the bounds of a key with %s begin with "%s"', async (says, prefix) => {
  await database.query(
    `DROP TABLE IF EXISTS said; CREATE TABLE said (id text COLLATE "C" ${says}) PARTITION BY RANGE (id)`,
  )
  const [made] = await makePartitions('said', 'flax, text, 2026-11-01Z, 2026-12-01Z, 1 month')
  expect(made).toContain(`FROM ('${prefix}Kj5SD-----------') TO ('${prefix}K`)
})

test('of a key that shows no prefix, and none, it must be passed', async () => {
  const input = "'unsaid', 'flax', 'text', '2026-11-01Z', '2026-12-01Z', '1 month'"
  const made = async (more: string) =>
    String((await database.query(`SELECT snoflax.partition_ddl(${input}${more}) AS ddl`))[0]?.['ddl'])
  await database.query('CREATE TABLE unsaid (id text COLLATE "C") PARTITION BY RANGE (id)')
  await expect(made('')).rejects.toMatchObject({
    code: '22023',
    hint: expect.stringContaining("prefix => 'cus'"),
  })
  await expect(made(", prefix => 'Cus'")).rejects.toMatchObject({ code: '22023' })
  expect(await made(", prefix => 'cus'")).toContain("FROM ('cus_Kj5SD-----------')")
  expect(await made(", prefix => ''")).toContain("FROM ('Kj5SD-----------')")
})

test("does not depend on the session's time zone", async () => {
  await database.query('CREATE TABLE zoned (id uuid) PARTITION BY RANGE (id)')
  const call = `SELECT snoflax.partition_ddl('zoned', 'sno', 'uuid', '2026-03-01Z', '2026-06-01Z', '1 month') AS ddl`
  const client = await database.connect()
  const inZone = async (zone: string) => {
    await client.query(`SET timezone = '${zone}'`)
    return (await client.query(call)).rows
  }
  const inUtc = await inZone('UTC')
  for (const zone of ['Pacific/Auckland', 'America/Los_Angeles']) expect(await inZone(zone)).toEqual(inUtc)
})

test.each([
  'flux, uuid, 2026-01-01Z, 2026-02-01Z, 1 month',
  'flax, bigint, 2026-01-01Z, 2026-02-01Z, 1 month',
  'flax, text, 2026-01-01Z, 2026-02-01Z, 1 month',
  'uuid7, binary, 2026-01-01Z, 2026-02-01Z, 1 month',
  'uuid7, text, 2026-01-01Z, 2026-02-01Z, 1 month',
  'typeid, text, 2026-01-01Z, 2026-02-01Z, 1 month',
  'flax, uuid, 2026-02-01Z, 2026-01-01Z, 1 month',
  'flax, uuid, 2026-01-01Z, infinity, 1 month',
  'flax, uuid, 2026-01-01Z, 2026-02-01Z, 1 hour',
  'flax, uuid, 2026-01-01Z, 2026-02-01Z, 0 days',
  'flax, uuid, 2026-01-01Z, 2026-02-01Z, 1 month 1 day',
  'flax, uuid, 2026-01-01Z, 2026-02-01Z, -1 day',
])('refuses %s', async (input) => {
  await database.query('CREATE TABLE IF NOT EXISTS refusing (id uuid) PARTITION BY RANGE (id)')
  await expect(makePartitions('refusing', input)).rejects.toMatchObject({ code: '22023' })
})

test('refuses a text key whose collation is not byte-wise', async () => {
  await database.query('CREATE TABLE unsorted (id text COLLATE "und-x-icu") PARTITION BY RANGE (id)')
  const making = makePartitions('unsorted', 'flax, text, 2026-01-01Z, 2026-02-01Z, 1 month')
  await expect(making).rejects.toThrow(/does not sort by byte/)
})

test.each([
  ['bytea', 'flax, binary', 1],
  ['uuid', 'flax, uuid', 2],
  ['bigint', 'flake, bigint', 1],
  ['text COLLATE "C" DEFAULT snoflax.flax_generate_text()', 'flax, text', 1],
  ['snoflax.flax_text', 'flax, text', 1],
  ['snoflax.flax_uuid', 'flax, uuid', 2],
  ['over_domain', 'flax, uuid', 2],
])('accepts a key of %s with quote_all_identifiers', async (type, family, statements) => {
  const session = await database.connect()
  const query: Query = async (sql) => (await session.query(sql)).rows
  try {
    await query('SET quote_all_identifiers = on; CREATE DOMAIN over_domain AS snoflax.flax_uuid')
    await query(`CREATE TABLE quoted (id ${type}) PARTITION BY RANGE (id)`)
    const made = await makePartitions('quoted', `${family}, 2026-01-01Z, 2026-02-01Z, 1 month`, query)
    expect(made).toHaveLength(statements)
  } finally {
    await query('DROP TABLE IF EXISTS quoted; DROP DOMAIN IF EXISTS over_domain')
    await session.end()
  }
})
