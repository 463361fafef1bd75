import type { PostgresDatabase, PostgresServer } from '@snoflax/test'
import { startServer } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { generators, installGenerators } from './generators.js'
import type { ScriptedClock } from './scripted-clock.js'
import { scriptClock } from './scripted-clock.js'

const SESSIONS = 8
const KILLS = 3
const UNIQUE_VIOLATION = '23505'

describe('a server that is killed while it generates ids', () => {
  let server: PostgresServer
  let database: PostgresDatabase
  beforeEach(async () => {
    server = await startServer()
    database = await server.database()
    await installGenerators(database)
    for (const { family } of generators)
      await database.query(`CREATE TABLE ${family} (id text COLLATE "C" PRIMARY KEY)`)
  })
  afterEach(() => server.stop())

  /** Inserts until the server is gone; the ids whose insert was answered, and how often an id was there already. */
  const insertUntilKilled = async () => {
    const committed = new Map(generators.map(({ family }) => [family, [] as string[]]))
    let repeats = 0
    let inserts = 0
    // All connect first: on a busy machine the server could be gone before the last of them did.
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => database.connect()))
    const work = sessions.map(async (session, s) => {
      for (let i = 0; ; i++) {
        const { family, generate } = generators[(i + s) % generators.length] as (typeof generators)[number]
        try {
          const { rows } = await session.query(
            `INSERT INTO ${family} SELECT ${generate} FROM generate_series(1, 20) RETURNING id`,
          )
          committed.get(family)?.push(...rows.map(({ id }) => id))
          inserts++
          // Seen, and rolled back.
          await session.query(`BEGIN; SELECT ${generate} FROM generate_series(1, 20); ROLLBACK`)
        } catch (error) {
          if ((error as { code?: string }).code === UNIQUE_VIOLATION) repeats++
          else return
        }
      }
    })
    while (inserts < 200) await new Promise((next) => setTimeout(next, 5))
    await server.kill9()
    await Promise.all(work)
    return { committed, repeats }
  }

  const expectRowsOf = async (committed: Map<string, string[]>) => {
    for (const [family, ids] of committed) {
      const [row] = await database.query(`SELECT count(*)::int AS found FROM ${family} WHERE id = ANY($1)`, [
        ids,
      ])
      expect(row).toEqual({ found: ids.length })
    }
  }

  test("repeats nothing committed, with the machine's clock", async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const { committed, repeats } = await insertUntilKilled()
      await server.restart()
      expect(repeats).toBe(0)
      await expectRowsOf(committed)
    }
  })

  test.each([
    ['stands still', async () => {}],
    ['has stepped back 5 s', (clock: ScriptedClock) => clock.move(-5_000_000)],
  ])('repeats nothing committed, with a clock that %s', async (_, then) => {
    const clock = await scriptClock(database)
    await database.query('CHECKPOINT')
    for (let kill = 0; kill < KILLS; kill++) {
      const { committed, repeats } = await insertUntilKilled()
      await server.restart()
      if (kill === KILLS - 2) await then(clock)
      expect(repeats).toBe(0)
      await expectRowsOf(committed)
    }
  })
})
