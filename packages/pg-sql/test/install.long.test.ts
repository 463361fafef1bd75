import { type Client, install, installedVersion, VERSION } from '@snoflax/pg-sql'
import { onConnection, pglite, postgres, urlTo } from '@snoflax/test'
import { expect, test } from 'vitest'

test.each(['read committed', 'repeatable read', 'serializable'])(
  'several can install at once where %s is the default',
  async (level) => {
    const database = await postgres.open()
    await database.query(`ALTER DATABASE ${database.name} SET default_transaction_isolation = '${level}'`)
    try {
      for (const run of [1, 2]) {
        const clients = await Promise.all(Array.from({ length: 5 }, () => database.connect()))
        await Promise.all(clients.map((client) => install(client)))
        expect(await installedVersion(clients[0] as Client), `run ${run}`).toBe(VERSION)
      }
    } finally {
      await database.close()
    }
  },
)

test.each(['LATIN1', 'KOI8R', 'SQL_ASCII'])('the encoding of the database can be %s', async (encoding) => {
  const database = await postgres.open()
  const name = `${database.name}_${encoding.toLowerCase()}`
  await database.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`)
  try {
    await onConnection(urlTo(database.url, { database: name }), async (client) => {
      await install(client)
      const { rows } = await client.query(
        "SELECT snoflax.flax_is_valid(snoflax.flax_generate_text()) AS id, snoflax.uid_is_valid('no id') AS other",
      )
      expect(rows).toEqual([{ id: true, other: false }])
    })
  } finally {
    await database.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await database.close()
  }
})

test('the client can be PGlite', async () => {
  const database = await pglite.open()
  try {
    const { connection } = database
    expect(await installedVersion(connection)).toBe(undefined)
    const families = ['flake'] as const
    expect(await install(connection, { families })).toEqual({ version: VERSION, previousVersion: undefined })
    expect(await installedVersion(connection)).toBe(VERSION)
    expect(await install(connection, { families })).toEqual({ version: VERSION, previousVersion: VERSION })
  } finally {
    await database.close()
  }
})

test.each([postgres, pglite])('a script that fails leaves nothing behind: $name', async (kind) => {
  const database = await kind.open()
  try {
    await database.query('CREATE SCHEMA snoflax')
    await database.query(
      'CREATE FUNCTION snoflax.uid_local_generate_text() RETURNS integer LANGUAGE sql RETURN 1',
    )
    await expect(install('pool' in database ? database.pool : database.connection)).rejects.toMatchObject({
      code: '42P13',
    })
    const rows = await database.query(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace
       UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'snoflax'::regnamespace AND typtype <> 'b'`,
    )
    expect(rows).toEqual([{ name: 'uid_local_generate_text' }])
  } finally {
    await database.close()
  }
})
