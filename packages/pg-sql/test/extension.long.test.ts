import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install, installSql } from '@snoflax/pg-sql'
import { connectTo, type PostgresServer, startServer } from '@snoflax/test'
import type { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { extensionFiles } from '../scripts/extension.js'

// The files as they ship, and those of a version to come: its SQL is today's, with a function more and another text.

const script = installSql()
const NEXT = '999.0.0'
const nextScript = script
  .replaceAll("RETURN '0.0.0'", `RETURN '${NEXT}'`)
  .replace(
    /^CREATE OR REPLACE FUNCTION snoflax\.flax_decode/m,
    'CREATE FUNCTION snoflax.flax_of_tomorrow() RETURNS integer LANGUAGE sql RETURN 7;\n\n$&',
  )
const today = extensionFiles({ version: '0.0.0', script })
const tomorrow = extensionFiles({ version: NEXT, script: nextScript, earlier: ['0.0.0'] })

const SET_NODE = 'SELECT snoflax.uid_set_node(7::bigint)'

let server: PostgresServer
let url: string
let owner: Client
beforeAll(async () => {
  server = await startServer({ ownBinaries: true })
  write(today)
})
afterAll(() => server.stop())

beforeEach(async () => {
  // A role that may create schemas in its database, and is no superuser.
  const database = await server.database()
  const role = await database.role()
  await database.query(`GRANT CREATE ON DATABASE ${database.name} TO ${role.name}`)
  url = role.url
  owner = await connectTo(url)
  return async () => {
    await owner.end()
    await database.close()
  }
})

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(server.extensionFolder, name), text)
}

const value = async (sql: string) => Object.values((await owner.query(sql)).rows[0])[0]
const refused = (sql: string) =>
  owner.query(sql).then(
    () => 'done',
    (error) => `${error.code}`,
  )

test('CREATE EXTENSION creates what an installation does, owned by the role that runs it', async () => {
  const functions = `SELECT string_agg(oid::regprocedure::text, ' ' ORDER BY oid::regprocedure::text COLLATE "C")
    FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace`
  await owner.query('CREATE EXTENSION snoflax')
  const created = await value(functions)
  expect(
    await value(`SELECT count(*)::integer FROM pg_proc
    WHERE pronamespace = 'snoflax'::regnamespace AND proowner <> current_user::regrole`),
  ).toBe(0)
  expect(
    await value("SELECT snoflax.flax_time(snoflax.flax_generate_uuid()) > now() - interval '1 day'"),
  ).toBe(true)
  await owner.query(SET_NODE)
  expect(await value('SELECT (snoflax.uid_unpack(snoflax.uid_generate())).node::integer')).toBe(7)

  await owner.query('DROP EXTENSION snoflax CASCADE')
  await install(owner)
  expect(await value(functions)).toBe(created)
  expect(await refused('CREATE EXTENSION snoflax')).toBe('42P06')
})

test('an installation over an extension is refused', async () => {
  await owner.query('CREATE EXTENSION snoflax')
  await expect(install(owner)).rejects.toMatchObject({
    code: '55000',
    hint: 'ALTER EXTENSION snoflax UPDATE',
  })
})

test("leases wait for the owner's permission, as after a restore", async () => {
  await owner.query('CREATE EXTENSION snoflax')
  const lease = "SELECT * FROM snoflax.lease_acquire('sno', 'here', 1000, 1, 5, 1, 1262304000000)"
  expect(await refused(lease)).toBe('55000')
  await owner.query("SELECT snoflax.lease_adopt('sno')")
  expect(await refused(lease)).toBe('done')
})

test('ALTER EXTENSION UPDATE upgrades, and keeps state, numbers and tables that use it', async () => {
  await owner.query("CREATE EXTENSION snoflax VERSION '0.0.0'")
  await owner.query(SET_NODE)
  await owner.query('CREATE TEMP TABLE used (id uuid DEFAULT snoflax.uid_generate_uuid(), time timestamptz)')
  await owner.query('INSERT INTO used VALUES (DEFAULT)')
  write(tomorrow)
  await owner.query(`ALTER EXTENSION snoflax UPDATE TO '${NEXT}'`)
  expect(await value('SELECT snoflax.version()')).toBe(NEXT)
  expect(
    await value(`SELECT deptype FROM pg_depend WHERE refclassid = 'pg_extension'::regclass
    AND objid = 'snoflax.flax_of_tomorrow()'::regprocedure`),
  ).toBe('e')
  await owner.query('INSERT INTO used VALUES (DEFAULT)')
  expect(
    await value(`SELECT count(DISTINCT id) = 2 AND max(id::text) = (array_agg(id::text ORDER BY ctid))[2]
    AND bool_and((snoflax.uid_unpack(id)).node = 7) FROM used`),
  ).toBe(true)
  // As a member, the number's function still goes with the extension.
  await owner.query('DROP TABLE used; DROP EXTENSION snoflax')
  expect(await value(`SELECT to_regnamespace('snoflax') IS NULL`)).toBe(true)
})

test('the statement for pg_tle contains the same script', async () => {
  const statement = tomorrow['snoflax.pg_tle.sql'] as string
  const [, installed, updated] = statement
    .split(/SELECT pgtle\.\w+\((?:'[^']*', )*/)
    .map((part) => part.replace(/\);\s*$/, ''))
  const length = async (literal: string | undefined) => value(`SELECT md5(${literal})`)
  const text = (name: string) => (tomorrow[name] as string).replace(/^\\echo.*\n/, '').replaceAll("'", "''")
  expect(await length(installed)).toBe(await length(`'${text(`snoflax--${NEXT}.sql`)}'`))
  expect(await length(updated)).toBe(await length(`'${text(`snoflax--0.0.0--${NEXT}.sql`)}'`))
})
