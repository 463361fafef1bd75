import { setTimeout as sleep } from 'node:timers/promises'
import { sno } from '@snoflax/core'
import { install, leasePartition } from '@snoflax/pg-sql'
import { type PostgresDatabase, type PostgresServer, startServer, urlTo } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Two servers that both take writes and send them to each other. Who writes to one leases from that one, and each has numbers
// of its own; the servers' own generators have numbers outside both.

const WRITERS = 4
const ROWS = 1000
const VERSION = 16

let servers: PostgresServer[]
let sites: PostgresDatabase[]
beforeAll(async () => {
  const start = () => startServer({ version: VERSION, settings: { wal_level: 'logical' } })
  servers = await Promise.all([start(), start()])
  sites = await Promise.all(servers.map((server) => server.database()))
  for (const [i, site] of sites.entries()) {
    await install(site.pool, { families: ['sno'] })
    await site.query(`SELECT snoflax.sno_set_partition(${1000 + i})`)
    await site.query(
      'CREATE TABLE event (id uuid PRIMARY KEY DEFAULT snoflax.sno_generate_uuid(), site integer, n integer)',
    )
    await site.query('CREATE PUBLICATION events FOR TABLE event')
  }
  const [one, other] = sites as [PostgresDatabase, PostgresDatabase]
  await subscribe(one, other)
  await subscribe(other, one)
})
afterAll(async () => {
  // In pairs: each waits for the other to take what it has.
  await Promise.all((servers ?? []).map((server) => server.kill9()))
  await Promise.all((servers ?? []).map((server) => server.stop()))
})

/** What was written there comes here, and nothing that came there from here. */
const subscribe = (here: PostgresDatabase, there: PostgresDatabase) =>
  here.query(`CREATE SUBSCRIPTION from_${there.name} CONNECTION '${urlTo(there.url, {})}'
    PUBLICATION events WITH (origin = none, copy_data = false)`)

async function write(site: PostgresDatabase, index: number): Promise<number> {
  const numbers = { min: 1 + index * 100, max: 100 + index * 100 }
  const lease = await leasePartition(site.pool, { family: sno, numbers, holder: `writer at site ${index}` })
  for (let n = 0; n < ROWS; n += 50) {
    const ids = lease.generator.batch(50).map((id) => sno.decode(id))
    await site.query(
      'INSERT INTO event SELECT snoflax.sno_to_uuid(id), $2, n FROM unnest($1::bytea[]) WITH ORDINALITY AS row (id, n)',
      [ids.map((id) => Buffer.from(id)), index],
    )
    await site.query('INSERT INTO event (site, n) VALUES ($1, 0)', [index])
  }
  await lease.release()
  return lease.partition
}

const content = async (site: PostgresDatabase) =>
  (
    await site.query(`SELECT count(*)::integer AS rows, count(DISTINCT id)::integer AS ids,
      md5(string_agg(id || ':' || site || ':' || n, ',' ORDER BY id)) AS hash FROM event`)
  )[0]

test('two servers that both accept writes end with the same rows, without conflicts', async () => {
  const writing = sites.flatMap((site, index) => Array.from({ length: WRITERS }, () => write(site, index)))
  const partitions = await Promise.all(writing)
  expect(new Set(partitions).size).toBe(2 * WRITERS)

  const rows = 2 * WRITERS * (ROWS + ROWS / 50)
  for (let i = 0; i < 3000; i++) {
    const [one, other] = await Promise.all(sites.map(content))
    if (one?.['rows'] === rows && other?.['rows'] === rows) break
    await sleep(100)
  }
  const contents = await Promise.all(sites.map(content))
  expect(contents[0]).toMatchObject({ rows, ids: rows })
  expect(contents[1]).toEqual(contents[0])
  for (const server of servers) expect(server.log()).not.toMatch(/duplicate key|conflict|ERROR/)
  console.log(`multi-writer: ${rows} rows by ${2 * WRITERS} writers at two servers, the same on both`)
})
