import { install, installedVersion, uninstall } from '@snoflax/pg-sql'
import { type PostgresDatabase, pglite } from '@snoflax/test'
import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPostgres } from './installed.js'

// What a test changes is rolled back with its session.
let database: PostgresDatabase
let session: Client
beforeAll(async () => {
  database = await openPostgres()
})
beforeEach(async () => {
  session = await database.connect()
})
afterEach(() => session.end())
afterAll(() => database.close())

test.each([
  [
    'CREATE TABLE used (id uuid DEFAULT snoflax.flax_generate_uuid())',
    'default value for column id of table public.used',
  ],
  [
    'CREATE TABLE used (id bytea DEFAULT snoflax.sno_generate(3))',
    'default value for column id of table public.used',
  ],
  [
    'CREATE TABLE used (id uuid); CREATE INDEX used_at ON used (snoflax.flax_time(id))',
    'index public.used_at',
  ],
  [
    'CREATE TABLE used (id uuid, at timestamptz GENERATED ALWAYS AS (snoflax.flax_time(id)) STORED)',
    'column at of table public.used',
  ],
  ["CREATE VIEW used AS SELECT snoflax.flax_decode('x') AS bytes", 'rule _RETURN on view public.used'],
  ['CREATE TABLE used (id snoflax.flax_uuid)', 'column id of table public.used'],
  ['CREATE TABLE used (parts snoflax.sno_fields)', 'column parts of table public.used'],
  [
    'CREATE TABLE used (id text CONSTRAINT well CHECK (snoflax.sno_is_valid(id)))',
    'constraint well on table public.used',
  ],
  [
    'CREATE FUNCTION used(id text) RETURNS bytea LANGUAGE sql RETURN snoflax.sno_decode(id)',
    'function public.used(text)',
  ],
  [
    "CREATE FUNCTION used(id snoflax.flax_text) RETURNS text LANGUAGE sql AS 'SELECT $1::text'",
    'function public.used(snoflax.flax_text)',
  ],
  ['CREATE TABLE used (id uuid) PARTITION BY RANGE (snoflax.flax_time(id))', 'table public.used'],
  ['CREATE DOMAIN used AS snoflax.uid_text', 'type public.used'],
  [
    `CREATE TABLE used (id uuid); CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER watch BEFORE INSERT ON used FOR EACH ROW WHEN (NOT snoflax.flax_is_valid(NEW.id)) EXECUTE FUNCTION nothing()`,
    'trigger watch on table public.used',
  ],
  // What others created in the schema.
  ['CREATE TABLE snoflax.used (name text)', 'table snoflax.used'],
  ['CREATE VIEW snoflax.used AS SELECT 1 AS one', 'view snoflax.used'],
  ['CREATE SEQUENCE snoflax.used', 'sequence snoflax.used'],
  ['CREATE FUNCTION snoflax.used() RETURNS int RETURN 1', 'function snoflax.used()'],
  ["CREATE TYPE snoflax.used AS ENUM ('one')", 'type snoflax.used'],
  ['CREATE TYPE snoflax.used AS (one int)', 'type snoflax.used'],
  ['CREATE DOMAIN snoflax.used AS int', 'type snoflax.used'],
  ["CREATE COLLATION snoflax.used (provider = libc, locale = 'C')", 'collation snoflax.used'],
])('uninstall refuses, and names what uses or is in the schema: %s', async (sql, named) => {
  await session.query(`BEGIN; ${sql}; SAVEPOINT used`)
  const error = await uninstall(session).catch((refusal: unknown) => refusal)
  expect(error).toMatchObject({ code: '2BP01', detail: expect.stringContaining(named) })
  await session.query('ROLLBACK TO used')
  expect(await installedVersion(session)).toBeDefined()
  const [, kind, name] = /CREATE (\w+) ((?:snoflax\.)?used)/.exec(sql) as unknown as string[]
  await session.query(`DROP ${kind} ${name}`)
  await uninstall(session)
  expect(await installedVersion(session)).toBe(undefined)
  await session.query('ROLLBACK')
})

test('uninstall names all that use the schema', async () => {
  await session.query(
    'BEGIN; CREATE TABLE a (id uuid DEFAULT snoflax.flax_generate_uuid()); CREATE TABLE b (id snoflax.sno_text)',
  )
  const refusal: { detail?: string } = await uninstall(session).catch((error) => error)
  expect(refusal.detail?.split('\n').sort()).toEqual([
    'column id of table public.b',
    'default value for column id of table public.a',
  ])
})

test('uninstall removes everything of its own, and nothing else', async () => {
  const listing = 'SELECT count(*)::integer AS all FROM pg_depend'
  const before = await database.query(listing)
  await uninstall(session)
  expect(await database.query("SELECT to_regnamespace('snoflax') AS schema")).toEqual([{ schema: null }])
  await install(session)
  expect(await database.query(listing)).toEqual(before)
})

test('uninstall removes another schema', async () => {
  await install(session, { schema: 'ids', families: ['flake'] })
  await uninstall(session, { schema: 'ids' })
  expect(await installedVersion(session, { schema: 'ids' })).toBe(undefined)
  expect(await installedVersion(session)).toBeDefined()
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
