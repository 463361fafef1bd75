import { existsSync } from 'node:fs'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, type PostgresServer, startServer } from '@snoflax/test'
import { type LeaseProcesses, type LeaseProcessesResult, tryLeaseProcesses } from '@snoflax/test/leases'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

// Signals need the processes on this machine, so the server is one of our own.

const SECONDS = Number(process.env['SNOFLAX_LEASE_SECONDS'] ?? 22)
const IDS = 1_000_000
const PARTITIONS = 12

let server: PostgresServer
beforeAll(async () => {
  // The processes run outside vitest and find the packages as users do.
  if (!existsSync(new URL('../../esm/index.js', import.meta.url)))
    throw new Error('run `npm run build` first')
  server = await startServer()
})
afterAll(() => server.stop())

let database: PostgresDatabase
beforeEach(async () => {
  database = await server.database()
  await install(database.pool, { families: ['sno'] })
})

const trial = (options: Partial<LeaseProcesses>): Promise<LeaseProcessesResult> => {
  const { hostname, port } = new URL(database.url)
  return tryLeaseProcesses({
    program: new URL('programs/hold.js', import.meta.url),
    env: { SNOFLAX_LEASES: database.url },
    servers: [{ host: hostname, port: Number(port) }],
    numbers: { min: 1, max: PARTITIONS },
    network: { trouble: 0.02 },
    ...options,
  })
}

const enough = (seen: LeaseProcessesResult): boolean =>
  seen.ids > IDS &&
  seen.handedOver > PARTITIONS &&
  Math.min(seen.stopped, seen.killed, seen.stalls, seen.halves, seen.lostAnswers) > 0

test('a million ids without a repeat, from processes killed and stopped, with wrong clocks and a faulty network', async () => {
  const seen = await trial({
    lastsMs: SECONDS * 1000,
    atLeast: IDS * 1.1,
    enough,
    disturb: [
      async () => {
        await server.kill9()
        await server.restart()
      },
      async () => {
        await server.shutdown()
        await server.restart()
      },
    ],
  })
  console.log(`leases, processes: ${JSON.stringify(seen)}`)
  expect(seen).toMatchObject({ repeats: 0, strays: 0, overlaps: [] })
  expect(seen).toSatisfy(enough)
})

test('without the check of the window ids are generated outside it, so the test would see them', async () => {
  const seen = await trial({
    unguarded: true,
    numbers: { min: 1, max: 4 },
    lastsMs: 8000,
    enough: ({ strays }) => strays > 0,
  })
  console.log(`leases without the check: ${seen.ids} ids, ${seen.repeats} repeats, ${seen.strays} strays`)
  expect(seen.strays).toBeGreaterThan(0)
  expect(seen.strays).toBeLessThan(seen.ids)
})
