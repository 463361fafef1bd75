import { install, installedVersion, uninstall } from '@snoflax/pg-sql'
import { type PostgresDatabase, pglite } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPostgres } from './installed.js'

let database: PostgresDatabase
beforeEach(async () => {
  database = await openPostgres()
})
afterEach(() => database.close())

const USES = {
  'a default': [
    'CREATE TABLE used (id uuid DEFAULT snoflax.flax_generate_uuid())',
    'default value for column id of table public.used',
  ],
  'a default that needs a sequence': [
    'CREATE TABLE used (id bytea DEFAULT snoflax.sno_generate(3))',
    'default value for column id of table public.used',
  ],
  'an index': [
    'CREATE TABLE used (id uuid); CREATE INDEX used_at ON used (snoflax.flax_time(id))',
    'index public.used_at',
  ],
  'a generated column': [
    'CREATE TABLE used (id uuid, at timestamptz GENERATED ALWAYS AS (snoflax.flax_time(id)) STORED)',
    'column at of table public.used',
  ],
  'a view': [
    "CREATE VIEW used AS SELECT snoflax.flax_decode('x') AS bytes",
    'rule _RETURN on view public.used',
  ],
  'a column of a domain': ['CREATE TABLE used (id snoflax.flax_uuid)', 'column id of table public.used'],
  'a column of fields': ['CREATE TABLE used (parts snoflax.sno_fields)', 'column parts of table public.used'],
  'a check': [
    'CREATE TABLE used (id text CONSTRAINT well CHECK (snoflax.sno_is_valid(id)))',
    'constraint well on table public.used',
  ],
  'a function': [
    'CREATE FUNCTION used(id text) RETURNS bytea LANGUAGE sql RETURN snoflax.sno_decode(id)',
    'function public.used(text)',
  ],
  'a parameter': [
    "CREATE FUNCTION used(id snoflax.flax_text) RETURNS text LANGUAGE sql AS 'SELECT $1::text'",
    'function public.used(snoflax.flax_text)',
  ],
  'a partitioned table': [
    `CREATE TABLE used (id uuid) PARTITION BY RANGE (snoflax.flax_time(id))`,
    'table public.used',
  ],
  'a domain over a domain': ['CREATE DOMAIN used AS snoflax.uid_text', 'type public.used'],
  'a trigger condition': [
    `CREATE TABLE used (id uuid);
     CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER watch BEFORE INSERT ON used FOR EACH ROW
       WHEN (NOT snoflax.flax_is_valid(NEW.id)) EXECUTE FUNCTION nothing()`,
    'trigger watch on table public.used',
  ],
} as const

describe('uninstall refuses, naming', () => {
  test.each(Object.entries(USES))('%s', async (_, [sql, named]) => {
    await database.query(sql)
    const error = await uninstall(database.pool).catch((refusal: unknown) => refusal)
    expect(error).toMatchObject({ code: '2BP01', detail: expect.stringContaining(named) })
    expect(await installedVersion(database.pool)).toBeDefined()
    await database.query(`DROP ${kindOf(sql)} used`)
    await uninstall(database.pool)
    expect(await installedVersion(database.pool)).toBe(undefined)
  })

  test('all that use it', async () => {
    await database.query('CREATE TABLE a (id uuid DEFAULT snoflax.flax_generate_uuid())')
    await database.query('CREATE TABLE b (id snoflax.sno_text)')
    const { detail } = (await uninstall(database.pool).catch((refusal: unknown) => refusal)) as {
      detail: string
    }
    expect(detail.split('\n').sort()).toEqual([
      'column id of table public.b',
      'default value for column id of table public.a',
    ])
  })
})

test.each([
  ['a table', 'CREATE TABLE snoflax.kept (name text)', 'table snoflax.kept', 'TABLE'],
  ['a view', 'CREATE VIEW snoflax.kept AS SELECT 1 AS one', 'view snoflax.kept', 'VIEW'],
  ['a sequence', 'CREATE SEQUENCE snoflax.kept', 'sequence snoflax.kept', 'SEQUENCE'],
  [
    'a function',
    'CREATE FUNCTION snoflax.kept() RETURNS int RETURN 1',
    'function snoflax.kept()',
    'FUNCTION',
  ],
  ['a type', "CREATE TYPE snoflax.kept AS ENUM ('one')", 'type snoflax.kept', 'TYPE'],
  ['a composite type', 'CREATE TYPE snoflax.kept AS (one int)', 'type snoflax.kept', 'TYPE'],
  ['a domain', 'CREATE DOMAIN snoflax.kept AS int', 'type snoflax.kept', 'DOMAIN'],
  [
    'a collation',
    "CREATE COLLATION snoflax.kept (provider = libc, locale = 'C')",
    'collation snoflax.kept',
    'COLLATION',
  ],
])('uninstall refuses to drop %s that others created in the schema', async (_, sql, named, kind) => {
  await database.query(sql)
  const error = await uninstall(database.pool).catch((refusal: unknown) => refusal)
  expect(error).toMatchObject({ code: '2BP01', detail: named })
  await database.query(`DROP ${kind} snoflax.kept`)
  await uninstall(database.pool)
  expect(await installedVersion(database.pool)).toBe(undefined)
})

const kindOf = (sql: string): string => /CREATE (\w+) used/.exec(sql)?.[1] as string

test('uninstall removes everything of its own, and nothing else', async () => {
  const listing = 'SELECT count(*)::integer AS all FROM pg_depend'
  const before = await database.query(listing)
  await uninstall(database.pool)
  expect(await database.query("SELECT to_regnamespace('snoflax') AS schema")).toEqual([{ schema: null }])
  await install(database.pool)
  expect(await database.query(listing)).toEqual(before)
})

test('uninstall removes another schema', async () => {
  await install(database.pool, { schema: 'ids' })
  await uninstall(database.pool, { schema: 'ids' })
  expect(await installedVersion(database.pool, { schema: 'ids' })).toBe(undefined)
  expect(await installedVersion(database.pool)).toBeDefined()
})

test('uninstall works in PGlite', async () => {
  const lite = await pglite.open()
  try {
    await install(lite.connection, { families: ['flax'] })
    await lite.query('CREATE TABLE used (id snoflax.flax_uuid)')
    await expect(uninstall(lite.connection)).rejects.toMatchObject({ code: '2BP01' })
    await lite.query('DROP TABLE used')
    await uninstall(lite.connection)
    expect(await installedVersion(lite.connection)).toBe(undefined)
  } finally {
    await lite.close()
  }
})
