import { readFileSync } from 'node:fs'
import { install, installedVersion, installSql, uninstall } from '@snoflax/pg-sql'
import { connectTo, type PostgresDatabase, postgres } from '@snoflax/test'
import type { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { everyCall } from './hostile/calls.js'
import { overload, plant } from './hostile/plant.js'
import { LEASES, OWNERS } from './owners.js'

// Mallory may create in the schema public and in the database, as every role might before PostgreSQL 15. A superuser
// installs and calls, so whatever of hers runs could make her a superuser.

let database: PostgresDatabase
let mallory: { name: string; url: string }
let superuser: Client
/** What ran of hers. */
let ran: Set<string>
beforeEach(async () => {
  database = await postgres.open()
  mallory = await database.role()
  await database.query(`GRANT CREATE ON SCHEMA public TO ${mallory.name}`)
  await database.query(`GRANT CREATE ON DATABASE ${database.name} TO ${mallory.name}`)
  superuser = await database.connect()
  ran = new Set()
  superuser.on('notice', ({ message }) => {
    if (message?.startsWith('hostile')) ran.add(message)
  })
})
afterEach(() => database.close())

const setVersion = (version: string) =>
  `CREATE OR REPLACE FUNCTION snoflax.version() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '${version}'`

async function asMallory(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = await connectTo(mallory.url)
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

describe('objects planted in the search_path', () => {
  const planted = () => asMallory((client) => plant(client, installSql()))

  test('are called if operators are not exact, so the test would see them', async () => {
    await planted()
    const inexact =
      'CREATE FUNCTION low(v bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN v & 1; END $$'
    await superuser.query(`${inexact}; SELECT low(3)`)
    await superuser.query("SELECT convert_to('x'::pg_catalog.text, 'UTF8')")
    expect([...ran]).toEqual(['hostile: bigint & integer', 'hostile: convert_to(text, text)'])
  })

  test.each(['before', 'after'])('%s the installation are not called', async (when) => {
    if (when === 'before') await planted()
    await install(superuser)
    if (when === 'after') await planted()

    // What is wrong with the arguments is an error, and does not matter here.
    const codes = new Set<string>()
    const attempt = (sql: string) => superuser.query(sql).catch((error) => codes.add(error.code))
    const calls = await everyCall(superuser)
    expect(calls.length).toBeGreaterThan(4000)
    await superuser.query(SCENARIO)
    await install(superuser)
    for (const call of calls) await attempt(call)
    expect([...codes].filter((code) => !EXPECTED.has(code))).toEqual([])

    await expect(uninstall(superuser)).rejects.toMatchObject({ code: '2BP01' })
    expect([...ran].sort()).toEqual([])
  })
})

/** Malformed ids, fields out of range, a generator that cannot go on; and private functions for the owner. */
const EXPECTED = new Set(['22P02', '22003', '22008', '22023', '55000', '42601', '42P01', '2202E'])

/** Calls that hang together. */
const SCENARIO = `
  CREATE TABLE public.hostile_log (id pg_catalog.uuid PRIMARY KEY DEFAULT snoflax.flax_generate_uuid())
    PARTITION BY RANGE (id);
  SELECT snoflax.sno_set_partition(60000);
  SELECT snoflax.flake_set_worker(31, 31, 0::bigint);
  SELECT snoflax.uid_set_node('here'::pg_catalog.text);
  DO $$
  DECLARE
    leased record;
  BEGIN
    SELECT * INTO leased FROM snoflax.lease_acquire('sno', 'holder', 1000, 1, 5, 1, 1262304000000);
    PERFORM snoflax.lease_renew(leased.token, 1000, leased.start_ms);
    PERFORM snoflax.lease_release(leased.token, leased.start_ms);
    PERFORM snoflax.lease_set_max_ttl('sno', 1000), snoflax.lease_adopt('sno');
    PERFORM * FROM snoflax.leases;
  END $$;
  DO $$
  DECLARE
    statement pg_catalog.text;
  BEGIN
    FOR statement IN SELECT snoflax.partition_ddl('hostile_log', 'flax', 'uuid', '2026-01-01Z', '2026-03-01Z', '1 month') LOOP
      EXECUTE statement;
    END LOOP;
  END $$;
  INSERT INTO public.hostile_log VALUES (snoflax.flax_lower_bound_uuid('2026-02-01Z'::pg_catalog.timestamptz));
  SELECT ''::snoflax.flax_text WHERE false; SELECT NULL::snoflax.flax_uuid, NULL::snoflax.sno_binary`

describe('functions planted in the schema itself, by a role that may create there', () => {
  test('are not called by the bodies of ours', async () => {
    await install(superuser)
    const calls = await everyCall(superuser)
    await superuser.query(`GRANT CREATE, USAGE ON SCHEMA snoflax TO ${mallory.name}`)
    await asMallory(overload)
    const planted = await database.query(
      `SELECT FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace AND proowner = '${mallory.name}'::regrole`,
    )
    expect(planted.length).toBeGreaterThan(4000)

    // A control: a call with one type that isn't the signature's. With two, several of the planted suit equally well.
    const call = (first: string) =>
      `SELECT snoflax._check_field('x'::text, ${first}, 0, 2::bigint, 'x'::text)`
    await superuser.query(call('1::bigint'))
    await expect(superuser.query(call('1'))).rejects.toMatchObject({ code: '42725' })
    expect([...ran]).toEqual(['hostile: _check_field(text, bigint, integer, bigint, text)'])
    ran.clear()

    const unexpected = new Set<string>()
    const attempt = (sql: string) =>
      superuser.query(sql).catch(({ code, message, where }) => {
        if (!EXPECTED.has(code)) unexpected.add(`${code}: ${message}, ${where}`)
      })
    await attempt(SCENARIO)
    for (const call of calls) await attempt(call)
    expect([...unexpected].sort()).toEqual([])
    expect([...ran].sort()).toEqual([])
  })
})

describe('objects in the schema owned by another role are refused, before anything is created', () => {
  const IN_HERS = `CREATE SCHEMA snoflax; GRANT USAGE ON SCHEMA snoflax TO PUBLIC;`
  const hostile = (returns: string) =>
    `LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'hostile: ran as %', current_user; RETURN ${returns}; END $$`

  const PREPARED: readonly (readonly [what: string, as: 'mallory' | 'both', sql: string])[] = [
    ['a schema', 'mallory', IN_HERS],
    [
      'a schema with a table and a trigger',
      'mallory',
      `${IN_HERS} CREATE TABLE snoflax._generator (family text PRIMARY KEY); GRANT ALL ON snoflax._generator TO PUBLIC;
       CREATE FUNCTION snoflax.watch() RETURNS trigger ${hostile('NEW')};
       CREATE TRIGGER watch BEFORE INSERT OR UPDATE ON snoflax._generator EXECUTE FUNCTION snoflax.watch()`,
    ],
    [
      'a schema that tells a version',
      'mallory',
      `${IN_HERS} CREATE FUNCTION snoflax.version() RETURNS text ${hostile("'0.0.0'")}`,
    ],
    ['a table', 'both', 'CREATE TABLE snoflax._generator (family text PRIMARY KEY)'],
    ['a sequence', 'both', 'CREATE SEQUENCE snoflax.sno_state'],
    ['a view', 'both', 'CREATE VIEW snoflax.leases AS SELECT 1 AS one'],
    ['a composite type', 'both', 'CREATE TYPE snoflax.flax_fields AS (time_ms bigint, random bytea)'],
    ['a domain', 'both', 'CREATE DOMAIN snoflax.flax_uuid AS uuid'],
    ['a function', 'both', `CREATE FUNCTION snoflax._clock_us() RETURNS bigint ${hostile('0')}`],
    [
      'another form of a function',
      'both',
      `CREATE FUNCTION snoflax._moment(integer) RETURNS timestamptz ${hostile('NULL')}`,
    ],
    [
      'an aggregate',
      'both',
      `CREATE FUNCTION snoflax.other(uuid, uuid) RETURNS uuid ${hostile('$1')};
       CREATE AGGREGATE snoflax.max(uuid) (SFUNC = snoflax.other, STYPE = uuid)`,
    ],
  ]

  const objects = () =>
    database.query(`SELECT oid FROM pg_depend, pg_namespace n
      WHERE refclassid = 'pg_namespace'::regclass AND refobjid = n.oid AND nspname = 'snoflax'`)

  test.each(PREPARED)('%s', async (_, as, sql) => {
    if (as === 'both') {
      await database.query(`CREATE SCHEMA snoflax; GRANT CREATE, USAGE ON SCHEMA snoflax TO ${mallory.name}`)
    }
    await asMallory((client) => client.query(sql))
    if (as === 'both') await database.query(`REVOKE CREATE ON SCHEMA snoflax FROM ${mallory.name}`)
    const before = await objects()
    await installedVersion(superuser)
    await expect(install(superuser)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringMatching(new RegExp(`install: role ${mallory.name} owns `)),
    })
    expect(await objects()).toEqual(before)
    expect([...ran]).toEqual([])
  })

  test.each(['a role', 'everybody'])(
    'a schema of a superuser in which %s may create objects',
    async (who) => {
      const role = who === 'everybody' ? 'PUBLIC' : mallory.name
      const owner = await database.role()
      await database.query(
        `CREATE SCHEMA snoflax; GRANT CREATE, USAGE ON SCHEMA snoflax TO ${role}, ${owner.name}`,
      )
      const client = await connectTo(owner.url)
      try {
        await expect(install(client)).rejects.toMatchObject({
          code: '42501',
          message: expect.stringContaining(`${role} may create in schema snoflax`),
        })
      } finally {
        await client.end()
      }
      // Its owner, or a superuser, revokes it.
      await install(superuser)
      expect(await createsIn(role)).toBe(false)
    },
  )

  test("a trigger with another role's function", async () => {
    await install(superuser)
    await asMallory((client) =>
      client.query(`CREATE FUNCTION public.watch() RETURNS trigger ${hostile('NEW')}`),
    )
    await superuser.query(
      'CREATE TRIGGER watch BEFORE INSERT ON snoflax._generator FOR EACH ROW EXECUTE FUNCTION public.watch()',
    )
    await expect(install(superuser)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining('trigger watch'),
    })
    expect([...ran]).toEqual([])
  })

  test("another role's installation, unless the superuser installs as that role", async () => {
    await asMallory((client) => install(client))
    await expect(install(superuser)).rejects.toMatchObject({
      code: '42501',
      hint: expect.stringContaining('Install as'),
    })
    await superuser.query(`SET ROLE ${mallory.name}`)
    await install(superuser)
  })
})

const createsIn = async (role: string) => {
  const [row] = await database.query(
    `SELECT EXISTS (SELECT FROM pg_namespace, aclexplode(nspacl) a WHERE nspname = 'snoflax'
       AND a.grantee = ${role === 'PUBLIC' ? 0 : `'${role}'::regrole`} AND a.privilege_type = 'CREATE') AS creates`,
  )
  return (row as { creates: boolean }).creates
}

describe('default privileges', () => {
  const KINDS = ['SCHEMAS', 'FUNCTIONS', 'TABLES', 'SEQUENCES', 'TYPES']
  /** Mallory may change nothing of what is installed, nor add to it. */
  async function expectHarmless(): Promise<void> {
    await asMallory(async (client) => {
      for (const sql of [
        'CREATE FUNCTION snoflax._check_field(text, integer, integer, integer, text) RETURNS bigint LANGUAGE sql RETURN 1',
        'CREATE TABLE snoflax.own (id integer)',
        ...['_generator', '_lease', '_lease_family', '_manifest'].flatMap((table) => [
          `CREATE TRIGGER watch BEFORE INSERT ON snoflax.${table} FOR EACH ROW EXECUTE FUNCTION public.watch()`,
          `DELETE FROM snoflax.${table}`,
          `TRUNCATE snoflax.${table}`,
        ]),
        'CREATE TRIGGER watch INSTEAD OF DELETE ON snoflax.leases FOR EACH ROW EXECUTE FUNCTION public.watch()',
        'DELETE FROM snoflax.leases',
        "SELECT setval('snoflax.sno_state', 1)",
        "SELECT setval('snoflax._sno_timeline', 1)",
        ...[...OWNERS, ...LEASES].map((call) => `SELECT snoflax.${call}`),
      ]) {
        await expect(client.query(sql), sql).rejects.toMatchObject({ code: '42501' })
      }
    })
  }

  /** A superuser, or a role that may create in the database, grants mallory all there is. */
  async function generous(who: string): Promise<Client> {
    const owner = await database.role()
    await database.query(`GRANT CREATE ON DATABASE ${database.name} TO ${owner.name}`)
    const client = await database.connect()
    if (who === 'a role') await client.query(`SET ROLE ${owner.name}`)
    await asMallory((hers) =>
      hers.query(
        'CREATE FUNCTION public.watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
      ),
    )
    return client
  }

  test.each(['a superuser', 'a role'])('of %s give others nothing', async (who) => {
    const owner = await generous(who)
    for (const kind of KINDS) {
      await owner.query(
        `ALTER DEFAULT PRIVILEGES GRANT ALL ON ${kind} TO ${mallory.name} WITH GRANT OPTION;
         ALTER DEFAULT PRIVILEGES GRANT ALL ON ${kind} TO PUBLIC`,
      )
    }
    await install(owner)
    await owner.query(`GRANT USAGE ON SCHEMA snoflax TO ${mallory.name}`)
    for (const _ of ['installed', 'installed again']) {
      await expectHarmless()
      await asMallory(async (client) => {
        await client.query('SELECT snoflax.flax_generate()')
        for (const held of [
          'DO $$ BEGIN LOCK TABLE snoflax._lease; END $$',
          'SELECT FROM snoflax._lease',
          'SELECT snoflax.uid_local_generate()',
        ])
          await expect(client.query(held), held).rejects.toMatchObject({ code: '42501' })
      })
      await install(owner)
    }
  })

  test.each(KINDS)('on %s let an earlier installation be upgraded, which cures it', async (kind) => {
    const owner = await generous('a role')
    const friend = await database.role()
    await install(owner)
    await owner.query(
      `ALTER DEFAULT PRIVILEGES GRANT ALL ON ${kind} TO ${mallory.name} WITH GRANT OPTION;
       GRANT USAGE ON SCHEMA snoflax TO PUBLIC; ${setVersion('0.0.0')}`,
    )
    // As earlier versions left it.
    const all = {
      SCHEMAS: 'ON SCHEMA snoflax',
      TABLES: 'ON ALL TABLES IN SCHEMA snoflax',
      SEQUENCES: 'ON ALL SEQUENCES IN SCHEMA snoflax',
    }[kind]
    if (all) {
      await owner.query(`GRANT ALL ${all} TO ${mallory.name} WITH GRANT OPTION`)
      await asMallory((client) => client.query(`GRANT ALL ${all} TO PUBLIC, ${friend.name}`))
    }
    await owner.query('DROP FUNCTION snoflax.flax_time(bytea) CASCADE; DROP FUNCTION snoflax.lease_adopt')
    await install(owner, { grantLeases: [friend.name] })
    await expectHarmless()
    for (const role of ['PUBLIC', mallory.name, friend.name]) expect(await createsIn(role)).toBe(false)
    // The owner's own grants on functions stay.
    await install(owner)
    const acquire = "SELECT snoflax.lease_acquire('sno', 'friend', 1000, 1, 64, 1, 0)"
    const client = await connectTo(friend.url)
    await client.query(acquire).finally(() => client.end())
  })
})

test('the search_path of the transaction is restored', async () => {
  await superuser.query('CREATE SCHEMA app; SET search_path = app, public; BEGIN')
  const path = async () => (await superuser.query('SHOW search_path')).rows
  await install(superuser)
  expect(await path()).toEqual([{ search_path: 'app, public' }])
  await superuser.query(
    'CREATE TABLE mine (id uuid DEFAULT snoflax.flax_generate_uuid()); DROP TABLE app.mine',
  )
  await uninstall(superuser)
  expect(await path()).toEqual([{ search_path: 'app, public' }])
  await superuser.query('COMMIT')
})

test('the SECURITY DEFINER functions are those reviewed in docs/security.md', async () => {
  await install(superuser)
  const { rows } = await superuser.query(
    `SELECT DISTINCT proname AS name, proconfig AS settings FROM pg_proc
      WHERE prosecdef AND pronamespace = 'snoflax'::regnamespace ORDER BY 1`,
  )
  const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8')
  const reviewed = [...page.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name)
  expect(rows.map(({ name }) => name)).toEqual(reviewed.sort())
  for (const { settings } of rows) expect(settings).toContain('search_path=pg_catalog, pg_temp')
})
