import { existsSync } from 'node:fs'
import { flake } from '@snoflax/core'
import { install, mysqlLeases } from '@snoflax/mysql-sql'
import { mysql } from '@snoflax/test'
import { type LeaseProcesses, tryLeaseProcesses, tryLeaseStore } from '@snoflax/test/leases'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasMariadb, MariadbServer } from '../mariadb-server.js'

// Processes that are stopped and killed, beside a server that is killed and started again: see docs/leases.md.

const SECONDS = Number(process.env['SNOFLAX_LEASE_SECONDS'] ?? 8)
const PARTITIONS = 4

describe.runIf(mysql.selected() && hasMariadb())('processes', () => {
  let server: MariadbServer
  beforeEach(async () => {
    // The processes run outside vitest and find the packages as users do.
    if (!existsSync(new URL('../../esm/index.js', import.meta.url)))
      throw new Error('run `npm run build` first')
    server = await MariadbServer.start()
    await install(server.pool)
  })
  afterEach(async () => {
    await server.end('SIGKILL')
    MariadbServer.remove(server.folder)
  })

  const trial = (options: Partial<LeaseProcesses>) =>
    tryLeaseProcesses({
      program: new URL('programs/hold.js', import.meta.url),
      env: { SNOFLAX_LEASES: server.url },
      servers: [{ host: '127.0.0.1', port: server.port }],
      numbers: { min: 1, max: PARTITIONS },
      lastsMs: SECONDS * 1000,
      atLeast: 20_000,
      ...options,
    })

  test('repeat no id, though killed and stopped, with wrong clocks, a faulty network and a killed server', async () => {
    const seen = await trial({
      disturb: [
        async () => {
          const { port, folder } = server
          await server.end('SIGKILL')
          server = await MariadbServer.start({ folder, port })
        },
      ],
    })
    console.log(`leases in MariaDB, processes: ${JSON.stringify(seen)}`)
    expect(seen).toMatchObject({ repeats: 0, strays: 0, overlaps: [] })
    expect(seen.ids).toBeGreaterThan(10_000)
    expect(seen.handedOver).toBeGreaterThan(0)
  })

  test('in one process repeat no id with late requests and lost answers', async () => {
    const seen = await tryLeaseStore(mysqlLeases(server.pool), {
      family: flake,
      numbers: { min: 1, max: 6 },
      lastsMs: 4000,
    })
    console.log(`leases in MariaDB, kit: ${JSON.stringify(seen)}`)
    expect(seen).toMatchObject({ repeats: 0, overlaps: [] })
    expect(seen.handedOver).toBeGreaterThan(0)
  })

  test('generate ids outside the window if its check is removed, so the test would see them', async () => {
    const seen = await trial({ unguarded: true, enough: ({ strays }) => strays > 0 })
    expect(seen.strays).toBeGreaterThan(0)
    expect(seen.strays).toBeLessThan(seen.ids)
  })
})
