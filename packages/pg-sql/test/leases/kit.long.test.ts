import { sno } from '@snoflax/core'
import { install, postgresLeases } from '@snoflax/pg-sql'
import { startServer } from '@snoflax/test'
import { tryLeaseStore } from '@snoflax/test/leases'
import { expect, test } from 'vitest'

test('leases in PostgreSQL pass the kit, also while the server is killed', async () => {
  const server = await startServer()
  try {
    const database = await server.database()
    await install(database.pool, { families: ['sno'] })
    const seen = await tryLeaseStore(postgresLeases(database.pool), {
      family: sno,
      numbers: { min: 1, max: 6 },
      enough: ({ ids, handedOver }) => ids > 1000 && handedOver > 5,
      async disturb() {
        await server.kill9()
        await server.restart()
      },
    })
    console.log(`leases kit, PostgreSQL: ${JSON.stringify(seen)}`)
    expect(seen).toMatchObject({ repeats: 0, overlaps: [] })
    expect(seen.ids).toBeGreaterThan(1000)
    expect(seen.handedOver).toBeGreaterThan(5)
  } finally {
    await server.stop()
  }
})
