import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES } from './families.js'
import { openPostgres } from './installed.js'

const SESSIONS = 16
const EACH = 5000

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
  await database.query(
    "SELECT snoflax.sno_set_partition(7), snoflax.flake_set_worker(7, 3), snoflax.uid_set_node('here')",
  )
})
afterAll(() => database.close())

describe.each(FAMILIES)('$name', ({ name }) => {
  test(`${SESSIONS} sessions with ${EACH} ids each repeat none`, async () => {
    await database.query(`CREATE TABLE ${name} (id bytea, session integer, n bigserial)`)
    const clients = await Promise.all(Array.from({ length: SESSIONS }, () => database.connect()))
    await Promise.all(
      clients.map((client, session) =>
        client.query(
          `INSERT INTO ${name} (id, session) SELECT snoflax.${name}_generate(), $1 FROM generate_series(1, $2)`,
          [session, EACH],
        ),
      ),
    )
    await Promise.all(clients.map((client) => client.end()))
    const rows = await database.query(
      `SELECT count(*)::integer AS all, count(DISTINCT id)::integer AS different FROM ${name}`,
    )
    expect(rows).toEqual([{ all: SESSIONS * EACH, different: SESSIONS * EACH }])
    if (name === 'flax') return
    // In each session, in the order of calls.
    const disorder = await database.query(
      `SELECT * FROM (SELECT id, lag(id) OVER (PARTITION BY session ORDER BY n) AS before FROM ${name}) AS pair
        WHERE id <= before`,
    )
    expect(disorder).toEqual([])
  })
})

const STATEFUL = ['sno', 'flake', 'uid', 'uid_local']

test.each(STATEFUL)(
  '%s: sessions that wait for each other repeat none, little ahead of the clock',
  async (name) => {
    const clients = await Promise.all(Array.from({ length: SESSIONS }, () => database.connect()))
    const made = await Promise.all(
      clients.map(async (client) => {
        const ids: string[] = []
        for (let n = 0; n < 100; n++) {
          const { rows } = await client.query(
            `WITH made AS MATERIALIZED (SELECT snoflax.${name}_generate() AS id)
           SELECT encode(id, 'hex') AS id, snoflax.${name}_time(id) - clock_timestamp() < '0.2 s' AS near FROM made`,
          )
          expect(rows[0]?.near).toBe(true)
          ids.push(rows[0]?.id)
        }
        return ids
      }),
    )
    await Promise.all(clients.map((client) => client.end()))
    for (const ids of made) expect([...ids].sort()).toEqual(ids)
    expect(new Set(made.flat()).size).toBe(SESSIONS * 100)
  },
)

test.each(STATEFUL)('%s: a read-only transaction is refused', async (name) => {
  const client = await database.connect()
  await client.query('BEGIN READ ONLY')
  await expect(client.query(`SELECT snoflax.${name}_generate()`)).rejects.toMatchObject({ code: '25006' })
  await client.query('ROLLBACK')
  await client.end()
})

test.each(STATEFUL)('%s: an id that was rolled back is not repeated', async (name) => {
  const client = await database.connect()
  const made: string[] = []
  for (let n = 0; n < 20; n++) {
    await client.query('BEGIN')
    const { rows } = await client.query(`SELECT encode(snoflax.${name}_generate(), 'hex') AS id`)
    await client.query('ROLLBACK')
    made.push(rows[0].id)
  }
  expect(made).toEqual([...new Set(made)].sort())
  await client.end()
})

test.each(STATEFUL)('%s: a cancelled statement leaves no lock', async (name) => {
  const client = await database.connect()
  const pid = (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
  await client.query('BEGIN')
  await client.query('SAVEPOINT before')
  const running = client
    .query(`SELECT count(snoflax.${name}_generate()) FROM generate_series(1, 100000000)`)
    .catch((error: unknown) => error)
  const runs =
    "SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND query LIKE 'SELECT count(%'"
  await expect.poll(() => database.query(runs, [pid])).toHaveLength(1)
  await database.query('SELECT pg_sleep(0.1)')
  await database.query('SELECT pg_cancel_backend($1)', [pid])
  expect(await running).toMatchObject({ code: '57014' })
  await client.query('ROLLBACK TO before')
  const locks = await database.query("SELECT * FROM pg_locks WHERE locktype = 'advisory' AND pid = $1", [pid])
  expect(locks).toEqual([])
  await client.query(`SELECT snoflax.${name}_generate()`)
  await client.query('COMMIT')
  await client.end()
})

test('a used-up unit is followed by the next, even if the clock stands still', async () => {
  const stopped = await openPostgres()
  try {
    await stopped.query(
      `CREATE OR REPLACE FUNCTION snoflax._clock_us() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE
       RETURN 1795256430456789;
       SELECT snoflax.sno_set_partition(7), snoflax.flake_set_worker(7, 3), snoflax.uid_set_node('here')`,
    )
    // More than one unit holds, for each.
    for (const [name, count] of Object.entries({
      sno: 70_000,
      flake: 10_000,
      uid: 20_000,
      uid_local: 20_000,
    })) {
      const rows = await stopped.query(
        `SELECT count(DISTINCT id)::integer AS different, count(DISTINCT snoflax.${name}_time(id))::integer > 1 AS units
           FROM snoflax.${name}_generate_many(${count}) AS id`,
      )
      expect({ name, ...rows[0] }).toEqual({ name, different: count, units: true })
    }
  } finally {
    await stopped.close()
  }
})
