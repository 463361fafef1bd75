import { describe, expect, test } from 'vitest'
import { openPostgres } from '../installed.js'
import { generators, setNumbers } from './generators.js'
import { MadeIds } from './made-ids.js'
import { scriptClock } from './scripted-clock.js'

test('what a session discards, resets or sets by hand is checked again', async () => {
  const database = await openPostgres()
  try {
    await setNumbers(database, 7)
    const { name } = await database.role()
    await database.query(
      `GRANT USAGE ON SCHEMA snoflax TO ${name}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA snoflax TO ${name}`,
    )
    const session = await database.connect()
    for (const { family, generate } of generators) {
      const made = new MadeIds()
      const make = () =>
        made.addFrom(() => session.query(`SELECT ${generate} AS id FROM generate_series(1, 5)`))
      const statements = [
        ...['SEQUENCES', 'TEMP', 'PLANS', 'ALL'].map((what) => `DISCARD ${what}`),
        'RESET ALL',
        `SET ROLE ${name}`,
        'RESET ROLE',
        `SET SESSION AUTHORIZATION ${name}`,
        'DISCARD SEQUENCES',
        'RESET SESSION AUTHORIZATION',
        'SELECT pg_advisory_unlock_all()',
        `SET snoflax.${family}_checked = 'yes'`,
        `RESET snoflax.${family}_checked`,
        'BEGIN; DISCARD SEQUENCES',
        'ROLLBACK',
      ]
      await make()
      for (const statement of statements) {
        await session.query(statement)
        await make()
      }
      made.expectNoRepeat()
      made.expectOrder()
      expect(made.count).toBe(5 * (statements.length + 1))
    }
  } finally {
    await database.close()
  }
})

describe.each(generators)('a sequence of $family with a cache', ({ generate, state, unitUs }) => {
  test("is refused, and numbers left in the sessions' caches repeat no id", async () => {
    const database = await openPostgres()
    try {
      await setNumbers(database, 7)
      const clock = await scriptClock(database)
      const [session, other] = [await database.connect(), await database.connect()]
      const made = new MadeIds()
      const make = (one: typeof session) =>
        made.addFrom(() => one.query(`SELECT ${generate} AS id FROM generate_series(1, 5)`))

      await make(session)
      await database.query(`ALTER SEQUENCE ${state} CACHE 50`)
      await make(session)
      await clock.move(unitUs)
      const error = await make(session).catch((thrown) => thrown)
      expect(error).toMatchObject({ code: '55000', hint: `ALTER SEQUENCE ${state} CACHE 1` })
      await database.query(error.hint)

      await make(other)
      await make(session)
      await make(other)
      await make(session)
      made.expectNoRepeat()
      made.expectOrder()
      expect(made.count).toBe(30)
    } finally {
      await database.close()
    }
  })
})
