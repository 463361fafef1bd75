import {
  type Client,
  install,
  installedVersion,
  installSql,
  installStatements,
  postgresLeases,
  typeormMigration,
  uninstall,
  VERSION,
} from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterEach, describe, expect, test } from 'vitest'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
})

function opening<Database extends { close(): Promise<void> }>(database: Database): Database {
  opened.push(database)
  return database
}
const openEmpty = async (): Promise<PostgresDatabase> => opening(await postgres.open())

async function value(database: { query(sql: string): Promise<object[]> }, sql: string): Promise<unknown> {
  return Object.values((await database.query(sql))[0] ?? {})[0]
}

const functionsIn = (schema: string) =>
  `SELECT string_agg(DISTINCT proname, ' ' ORDER BY proname) FROM pg_proc
    WHERE pronamespace = to_regnamespace('${schema}') AND proname ~ '_decode$'`

const setVersion = (version: string) =>
  `CREATE OR REPLACE FUNCTION snoflax.version() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
   RETURN '${version}'`

test.each<[string, () => Promise<Client>]>([
  ['a pool', async () => (await openEmpty()).pool],
  ['a single connection', async () => (await openEmpty()).connect()],
  [
    'a client that returns the rows themselves, as postgres.js does',
    async () => {
      const { pool } = await openEmpty()
      return { query: async (text) => (await pool.query(text)).rows }
    },
  ],
])('the client can be %s', async (_, open) => {
  const client = await open()
  expect(await installedVersion(client)).toBe(undefined)
  const families = ['flake'] as const
  expect(await install(client, { families })).toEqual({ version: VERSION, previousVersion: undefined })
  expect(await installedVersion(client)).toBe(VERSION)
  expect(await install(client, { families })).toEqual({ version: VERSION, previousVersion: VERSION })
})

test('an installation can be rolled back with the transaction that is open', async () => {
  const client = await (await openEmpty()).connect()
  await client.query('BEGIN')
  expect(await install(client, { families: ['flake'] })).toEqual({
    version: VERSION,
    previousVersion: undefined,
  })
  await client.query('ROLLBACK')
  expect(await installedVersion(client)).toBe(undefined)
})

test('the SQL is the same each time, in whatever order families are named', () => {
  expect(installSql()).toBe(installSql({ families: ['uuid7', 'uid_local', 'sno', 'flake', 'uid', 'flax'] }))
  expect(installSql({ families: ['sno', 'flax'] })).toBe(installSql({ families: ['flax', 'sno'] }))
})

test('chosen families are installed, and others later', async () => {
  const database = await openEmpty()
  await install(database.pool, { families: ['sno'] })
  expect(await value(database, functionsIn('snoflax'))).toBe('sno_decode sno_partman_decode')
  await install(database.pool, { families: ['uid'] })
  expect(await value(database, functionsIn('snoflax'))).toBe(
    'sno_decode sno_partman_decode uid_decode uid_local_decode uid_local_partman_decode uid_partman_decode',
  )
})

test.each(['flax', 'sno', 'flake', 'uid', 'uid_local', 'uuid7'] as const)(
  '%s can be installed alone',
  async (family) => {
    const database = await openEmpty()
    await install(database.pool, { families: [family] })
    expect(await value(database, `SELECT snoflax.${family}_is_valid('!')`)).toBe(false)
  },
)

test('another schema gets everything, and the default one is not created', async () => {
  const database = await openEmpty()
  await install(database.pool, { schema: 'ids_2' })
  expect(await installedVersion(database.pool)).toBe(undefined)
  expect(await installedVersion(database.pool, { schema: 'ids_2' })).toBe(VERSION)
  expect(await value(database, functionsIn('ids_2'))).toContain(
    'flake_decode flake_partman_decode flax_decode',
  )
  expect(await value(database, "SELECT to_regnamespace('snoflax')")).toBe(null)
  await database.query('SELECT ids_2.sno_set_partition(3)')
  expect(await value(database, 'SELECT (ids_2.sno_unpack(ids_2.sno_generate(5))).meta')).toBe(5)
  await database.query(
    'CREATE TABLE event (id uuid DEFAULT ids_2.flax_generate_uuid()) PARTITION BY RANGE (id)',
  )
  const ddl = await database.query(
    "SELECT * FROM ids_2.partition_ddl('event', 'flax', 'uuid', '2026-01-01Z', '2026-03-01Z', '1 month')",
  )
  expect(ddl).toHaveLength(4)
})

const BAD_NAMES = ['Ids', 'a-b', 'a"b', '', '1a', 'x'.repeat(64), 'a; DROP TABLE x', 'order', 'int', 'pg_ids']

test.each(BAD_NAMES)('refuses %j as a schema name, before anything is sent', async (schema) => {
  const refusal = expect.objectContaining({
    name: 'IdError',
    code: 'INVALID_OPTION',
    field: 'schema',
    value: schema,
    message: expect.stringContaining(JSON.stringify(schema).slice(0, 40)),
  })
  const client: Client = { query: () => Promise.reject(new Error('asked all the same')) }
  for (const work of [installSql, typeormMigration, (options: object) => postgresLeases(client, options)]) {
    expect(() => work({ schema })).toThrow(refusal)
  }
  for (const work of [install, installedVersion, uninstall]) {
    await expect(work(client, { schema })).rejects.toEqual(refusal)
  }
})

test('refuses schema names for which PostgreSQL would require quotes', async () => {
  const database = await openEmpty()
  const words = await database.query(
    `SELECT word, quote_ident(word) <> word AS quoted FROM pg_get_keywords() WHERE word ~ '^[a-z_]+$'`,
  )
  expect(words.length).toBeGreaterThan(400)
  const isRefused = (schema: unknown) => {
    try {
      return !postgresLeases(database.pool, { schema: String(schema) })
    } catch {
      return true
    }
  }
  expect(words.filter(({ word, quoted }) => quoted && !isRefused(word))).toEqual([])
  expect(['data', 'key', 'schema', 'sequence', 'type', 'version'].filter(isRefused)).toEqual([])
})

test('may be a word that is not reserved', async () => {
  const database = await openEmpty()
  await install(database.pool, { schema: 'schema' })
  expect(await value(database, 'SELECT length(schema.flax_generate_text())')).toBe(16)
  await uninstall(database.pool, { schema: 'schema' })
})

test('an unknown family is refused', () => {
  expect(() => installSql({ families: ['uuid' as 'uid'] })).toThrow(
    expect.objectContaining({
      name: 'IdError',
      code: 'INVALID_OPTION',
      field: 'families',
      value: 'uuid',
      message: 'pg-sql: a family must be one of flax, sno, flake, uid, uid_local, uuid7, not "uuid"',
    }),
  )
})

test('a role called like the default schema keeps its name in another schema', () => {
  const [usage, sequences, functions] = installStatements({ schema: 'ids', grantTo: ['snoflax'] }).slice(-4)
  expect(functions).toContain(`%I'', one, ''snoflax'')`)
  expect(usage).toBe('GRANT USAGE ON SCHEMA ids TO "snoflax"')
  expect(sequences).toBe('GRANT USAGE ON ALL SEQUENCES IN SCHEMA ids TO "snoflax"')
})

describe('an older installation', () => {
  test('is upgraded and keeps its state', async () => {
    const database = await openEmpty()
    await install(database.pool)
    await database.query('SELECT snoflax.sno_set_partition(77)')
    await database.query('CREATE TABLE kept (id uuid PRIMARY KEY DEFAULT snoflax.sno_generate_uuid())')
    await database.query('INSERT INTO kept DEFAULT VALUES')
    await database.query(setVersion('0.0'))
    await database.query(`CREATE OR REPLACE FUNCTION snoflax.sno_decode(id text) RETURNS bytea
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN '\\x00'::bytea`)

    expect(await install(database.pool)).toEqual({ version: VERSION, previousVersion: '0.0' })
    expect(await value(database, "SELECT snoflax.sno_decode('brpk4q72xwf2m63l')::text")).toBe(
      '\\x4e6f2160a0ff9a0a1033',
    )
    await database.query('INSERT INTO kept DEFAULT VALUES')
    // In the order of writing.
    const rows = await database.query(
      'SELECT (snoflax.sno_unpack(id)).partition, id > lag(id) OVER (ORDER BY ctid) AS later FROM kept',
    )
    expect(rows).toEqual([
      { partition: 77, later: null },
      { partition: 77, later: true },
    ])
  })

  test('that is a pre-release is upgraded', async () => {
    const database = await openEmpty()
    await install(database.pool, { families: ['flax'] })
    await database.query(setVersion('0.0.0-rc.1'))
    expect(await install(database.pool)).toEqual({ version: VERSION, previousVersion: '0.0.0-rc.1' })
  })

  test('that is newer is refused and not changed', async () => {
    const database = await openEmpty()
    await install(database.pool, { families: ['flax'] })
    await database.query(setVersion('999.10.0'))
    await expect(install(database.pool)).rejects.toMatchObject({ code: '55000' })
    await expect(install(database.pool)).rejects.toThrow(/999\.10\.0.*newer/)
    expect(await installedVersion(database.pool)).toBe('999.10.0')
    expect(await value(database, functionsIn('snoflax'))).toBe('flax_decode flax_partman_decode')
  })
})

test('several can install at once where serializable is the default', async () => {
  const database = await openEmpty()
  await database.query(`ALTER DATABASE ${database.name} SET default_transaction_isolation = 'serializable'`)
  const clients = await Promise.all([1, 2, 3].map(() => database.connect()))
  await Promise.all(clients.map((client) => install(client, { families: ['flake'] })))
  expect(await installedVersion(clients[0] as Client)).toBe(VERSION)
})

test.each([[], ['CREATE SCHEMA snoflax']])(
  'a transaction that cannot see what another one installed is refused, and the error says so',
  async (...before) => {
    const families = ['flake'] as const
    const database = await openEmpty()
    for (const statement of before) await database.query(statement)
    const [one, two] = (await Promise.all([database.connect(), database.connect()])) as [Client, Client]
    for (const client of [one, two]) {
      await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
      await client.query('SELECT FROM pg_class LIMIT 1')
    }
    expect(await install(one, { families })).toEqual({ version: VERSION, previousVersion: undefined })
    const later = install(two, { families })
    later.catch(() => {})
    await expect
      .poll(() =>
        value(database, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"),
      )
      .toBe('1')
    await one.query('COMMIT')
    await expect(later).rejects.toMatchObject({
      code: '40001',
      message: expect.stringContaining('install: '),
    })
    await two.query('ROLLBACK')
    expect(await install(two, { families })).toEqual({ version: VERSION, previousVersion: VERSION })
  },
)

test('an installation prints no notices, and leaves client_min_messages as it was', async () => {
  const { pool } = await openEmpty()
  const client = await pool.connect()
  const notices: (string | undefined)[] = []
  client.on('notice', ({ message }) => notices.push(message))
  try {
    for (const level of ['notice', 'notice', 'debug1', 'error']) {
      await client.query(`BEGIN; SET client_min_messages = '${level}'`)
      await client.query(installSql())
      const { rows } = await client.query('SHOW client_min_messages')
      expect(rows).toEqual([{ client_min_messages: level }])
      if (level === 'notice') expect(notices).toEqual([])
      await client.query('COMMIT')
    }
    // If you ask for more, you get them.
    expect(notices).toContain('schema "snoflax" already exists, skipping')
  } finally {
    client.release()
  }
})
