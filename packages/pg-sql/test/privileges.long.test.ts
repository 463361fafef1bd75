import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, startServer } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** All that anybody but the owner holds on the schema and what is in it, as the catalog says. */
const HELD = `
  WITH acls (what, name, owner, acl) AS (
    SELECT 'schema', nspname, nspowner, nspacl FROM pg_namespace WHERE nspname = 'snoflax'
    UNION ALL SELECT 'relation', relname, relowner, relacl FROM pg_class WHERE relnamespace = 'snoflax'::regnamespace
    UNION ALL SELECT 'column', attname, relowner, attacl FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
      WHERE relnamespace = 'snoflax'::regnamespace
    UNION ALL SELECT 'routine', proname, proowner, proacl FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace
    UNION ALL SELECT 'type', typname, typowner, typacl FROM pg_type WHERE typnamespace = 'snoflax'::regnamespace)
  SELECT DISTINCT what, CASE what WHEN 'routine' THEN '' WHEN 'type' THEN '' ELSE name END AS name, privilege_type AS may,
      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS who, is_grantable AS grants
    FROM acls, aclexplode(acl) WHERE grantee <> owner ORDER BY 1, 2, 3, 4`

const READ = ['identity', 'leases', '_manifest']
const OURS = [
  ...READ.map((name) => ({ what: 'relation', name, may: 'SELECT', who: 'PUBLIC', grants: false })),
  { what: 'routine', name: '', may: 'EXECUTE', who: 'PUBLIC', grants: false },
  { what: 'type', name: '', may: 'USAGE', who: 'PUBLIC', grants: false },
]
const KINDS = ['SCHEMAS', 'FUNCTIONS', 'TABLES', 'SEQUENCES', 'TYPES']

describe.each([15, 18] as const)('PostgreSQL %i, with default privileges on everything', (version) => {
  let server: Awaited<ReturnType<typeof startServer>>
  let database: PostgresDatabase
  let mallory: string
  beforeAll(async () => {
    server = await startServer({ version })
    database = await server.database()
    mallory = (await database.role()).name
    for (const kind of KINDS) {
      await database.query(
        `ALTER DEFAULT PRIVILEGES GRANT ALL ON ${kind} TO ${mallory} WITH GRANT OPTION;
         ALTER DEFAULT PRIVILEGES GRANT ALL ON ${kind} TO PUBLIC`,
      )
    }
  })
  afterAll(() => server.stop())

  const held = () => database.query(HELD)
  const sorted = (rows: readonly object[]) =>
    rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort()

  test('nobody holds what an installation has not granted', async () => {
    await install(database.pool)
    expect(sorted(await held())).toEqual(sorted(OURS))
  })

  test('PUBLIC may read the same where the server quotes all identifiers', async () => {
    const other = await server.database()
    const session = await other.connect()
    await session.query('SET quote_all_identifiers = on')
    await install(session)
    const relations = OURS.filter(({ what }) => what === 'relation')
    expect(sorted(await other.query(HELD))).toEqual(sorted(relations))
    await session.end()
  })

  test('on what exists, installing again takes all but reading and calling', async () => {
    await database.query(
      `GRANT ALL ON SCHEMA snoflax TO ${mallory}; GRANT ALL ON ALL TABLES IN SCHEMA snoflax TO ${mallory};
       GRANT ALL ON ALL SEQUENCES IN SCHEMA snoflax TO ${mallory}; GRANT UPDATE (number) ON snoflax._generator TO ${mallory}`,
    )
    await install(database.pool)
    const hers = (await held()).filter(({ who }) => who === mallory)
    expect(new Set(hers.map(({ may }) => may))).toEqual(new Set(['SELECT', 'USAGE']))
  })
})
