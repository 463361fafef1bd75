import type { PostgresDatabase, PostgresServer } from '@snoflax/test'
import { startServer } from '@snoflax/test'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { generators, installGenerators } from './generators.js'
import { MadeIds } from './made-ids.js'
import type { ScriptedClock } from './scripted-clock.js'
import { scriptClock } from './scripted-clock.js'

const SESSIONS = 6
const STOPS = Number(process.env['SNOFLAX_FAULT_STOPS'] ?? 60)
const sleep = (ms: number) => new Promise((next) => setTimeout(next, ms))

// Signals need the processes on this machine, so the server is one of our own.
describe('server processes stopped and continued at random', () => {
  let server: PostgresServer
  let database: PostgresDatabase
  let clock: ScriptedClock
  beforeAll(async () => {
    server = await startServer()
    database = await server.database()
    await installGenerators(database)
    clock = await scriptClock(database)
  })
  afterAll(() => server.stop())

  test.each(generators)(
    'repeat no $family, while the clock moves back and forth',
    async ({ generate, unitUs }) => {
      const made = new MadeIds()
      const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => database.connect()))
      const pids = await Promise.all(
        sessions.map(
          async (session) => (await session.query('SELECT pg_backend_pid() AS pid')).rows[0].pid as number,
        ),
      )
      let stopping = true
      const clockMoves = (async () => {
        for (let i = 0; stopping; i++) {
          await clock.move((i % 5 === 4 ? -9 : 4) * unitUs)
          await sleep(1)
        }
      })()
      const work = sessions.map(async (session) => {
        await session.query('SET statement_timeout = 25')
        while (stopping) {
          await made
            .addFrom(() => session.query(`SELECT ${generate} AS id FROM generate_series(1, 20)`))
            .catch((error) => {
              if (error.code !== '57014') throw error
            })
        }
      })
      try {
        for (let i = 0; i < STOPS; i++) {
          const pid = pids[(i * 5) % SESSIONS] as number
          await sleep(Math.random() * 4)
          process.kill(pid, 'SIGSTOP')
          await sleep(Math.random() * 12)
          process.kill(pid, 'SIGCONT')
        }
      } finally {
        stopping = false
      }
      await Promise.all([...work, clockMoves])
      made.expectNoRepeat()
      made.expectOrder()
    },
  )
})
