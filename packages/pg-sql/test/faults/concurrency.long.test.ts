import type { PostgresDatabase } from '@snoflax/test'
import { postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generators, installGenerators } from './generators.js'
import { MadeIds } from './made-ids.js'
import { scriptClock } from './scripted-clock.js'

const SESSIONS = 24
/** Of each session; give more for a longer run. */
const IDS = Number(process.env['SNOFLAX_FAULT_IDS'] ?? 5000)
const CANCELLED = '57014'

describe.each(generators)('$family in many sessions at once', ({ family, generate }) => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await postgres.open()
    await installGenerators(database)
  })
  afterAll(() => database.close())

  test('repeats no id, keeps the order, and cancelled calls leave no lock', async () => {
    const made = new MadeIds()
    let cancels = 0
    const canceller = await database.connect()
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => database.connect()))
    const pids = await Promise.all(
      sessions.map(async (session) => (await session.query('SELECT pg_backend_pid() AS pid')).rows[0].pid),
    )
    let working = SESSIONS
    const cancelling = (async () => {
      while (working > 0) {
        await canceller.query(
          'SELECT pg_sleep(0.002), count(pg_cancel_backend(pid)) FROM unnest($1::integer[]) pid WHERE random() < 0.2',
          [pids],
        )
      }
    })()
    await Promise.all(
      sessions.map(async (session) => {
        for (let i = 0, left = IDS; left > 0 || cancels < 50; i++) {
          const count = i % 3 === 0 ? 1 : 300
          try {
            await made.addFrom(() =>
              session.query(`SELECT ${generate} AS id FROM generate_series(1, ${count})`),
            )
            left -= count
          } catch (error) {
            if ((error as { code?: string }).code !== CANCELLED) throw error
            cancels++
          }
        }
        working--
      }),
    )
    await cancelling
    const [locks] = await database.query(
      `SELECT count(*)::int AS held FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    made.expectNoRepeat()
    made.expectOrder()
    expect(made.count).toBeGreaterThanOrEqual(SESSIONS * IDS)
    expect(locks).toEqual({ held: 0 })
  })

  test('is little ahead of the clock in sessions that wait for each other', async () => {
    const made = new MadeIds()
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        const client = await database.connect()
        for (let n = 0; n < 100; n++) {
          await made.addFrom(async () => {
            const { rows } = await client.query(
              `WITH made AS MATERIALIZED (SELECT snoflax.${family}_generate() AS id)
               SELECT encode(id, 'hex') AS id, snoflax.${family}_time(id) - clock_timestamp() < '0.2 s' AS near FROM made`,
            )
            expect(rows[0].near).toBe(true)
            return { rows }
          })
        }
        await client.end()
      }),
    )
    expect(made.count).toBe(1600)
    made.expectNoRepeat()
    made.expectOrder()
  })

  test('works in a pool with transactions that are rolled back', async () => {
    const made = new MadeIds()
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const client = await database.pool.connect()
        try {
          await client.query('BEGIN')
          await made.addFrom(() => client.query(`SELECT ${generate} AS id FROM generate_series(1, 20)`))
          // None that others would wait for until the transaction ends.
          const locks = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
          expect((await client.query(locks)).rows).toEqual([])
          await client.query(i % 2 ? 'ROLLBACK' : 'COMMIT')
        } finally {
          client.release()
        }
      }),
    )
    expect(made.count).toBe(2000)
    made.expectNoRepeat()
    made.expectOrder()
  })
})

test('a used-up unit is followed by the next, even if the clock stands still', async () => {
  const database = await postgres.open()
  try {
    await installGenerators(database)
    await scriptClock(database)
    // More than one unit holds, for each.
    const counts = { sno: 70_000, flake: 10_000, uid: 20_000, uid_local: 20_000 }
    for (const { family } of generators) {
      const rows = await database.query(
        `SELECT count(DISTINCT id)::integer AS different, count(DISTINCT snoflax.${family}_time(id))::integer > 1 AS units
           FROM snoflax.${family}_generate_many(${counts[family]}) AS id`,
      )
      expect({ family, ...rows[0] }).toEqual({ family, different: counts[family], units: true })
    }
  } finally {
    await database.close()
  }
})
