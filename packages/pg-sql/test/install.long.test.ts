import { type Client, install, installedVersion, VERSION } from '@snoflax/pg-sql'
import { pglite, postgres } from '@snoflax/test'
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

test('the client can be PGlite', async () => {
  const database = await pglite.open()
  try {
    expect(await install(database.connection, { families: ['flake'] })).toEqual({
      version: VERSION,
      previousVersion: undefined,
    })
    expect(await installedVersion(database.connection)).toBe(VERSION)
  } finally {
    await database.close()
  }
})
