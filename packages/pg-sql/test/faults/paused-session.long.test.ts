import type { PostgresDatabase } from '@snoflax/test'
import { postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generators, installGenerators } from './generators.js'
import { MadeIds } from './made-ids.js'
import { addStops, stopped } from './pauses.js'
import type { ScriptedClock } from './scripted-clock.js'
import { scriptClock } from './scripted-clock.js'

// The slow path is one for all families: sno has the widest counter, uid the odd units.
const tried = generators.filter(({ family }) => family === 'sno' || family === 'uid')

describe.each(tried)(
  'a session of $family paused before any statement of the slow path repeats no id',
  (generator) => {
    const { generate, unitUs, family } = generator
    let database: PostgresDatabase
    let clock: ScriptedClock
    let others: Awaited<ReturnType<PostgresDatabase['connect']>>[]
    beforeAll(async () => {
      database = await postgres.open()
      await installGenerators(database)
      clock = await scriptClock(database)
      await addStops(database)
      others = await Promise.all([1, 2, 3].map(() => database.connect()))
      for (const session of others) await session.query('SET statement_timeout = 5')
    })
    afterAll(() => database.close())

    const ids = `SELECT ${generate} AS id FROM generate_series(1, 40)`

    /** Others make ids and give up after a while, as often as it takes to run through the end of a unit. */
    const othersMake = (made: MadeIds) =>
      Promise.all(
        others.map(async (session) => {
          for (let i = 0; i < 5; i++) {
            await made.addFrom(() => session.query(ids)).catch((error) => expect(error.code).toBe('57014'))
          }
        }),
      )
    /** Sets the counter of the present unit. */
    const setCounter = (expression: string) =>
      database.query(
        `SELECT setval(state, (((pg_sequence_last_value(state) >> shift) << shift) + ${expression})::bigint)
         FROM snoflax._generator WHERE family = '${family}'`,
      )

    const everywhere = async (prepare: () => Promise<unknown>, meanwhile: () => Promise<unknown>) => {
      const made = new MadeIds()
      let stops = 0
      for (let at = 1, goesOn = true; goesOn; at++) {
        await made.addFrom(() => database.pool.query(ids))
        await prepare()
        const outcome = await stopped(
          database,
          at,
          (session) => made.addFrom(() => session.query(`SELECT ${generate} AS id`)),
          async () => {
            await meanwhile()
            await othersMake(made)
          },
        )
        goesOn = outcome.stopped
        stops += outcome.stopped ? 1 : 0
        // The paused session may have moved the state: what comes now must be new.
        await made.addFrom(() => database.pool.query(ids))
        await othersMake(made)
        await clock.move(unitUs * 10)
      }
      expect(stops).toBeGreaterThan(15)
      made.expectNoRepeat()
      made.expectOrder()
    }

    test('when the clock moves on', () =>
      everywhere(
        () => clock.move(unitUs),
        () => clock.move(unitUs),
      ))

    test('when the clock moves on and back', () =>
      everywhere(
        () => clock.move(unitUs * 5),
        () => clock.move(unitUs * -5),
      ))

    test('when the unit is used up and the state is ahead of a clock that stands still', () =>
      everywhere(
        () => setCounter('last_counter'),
        async () => {},
      ))

    test('when failed calls use up the unit meanwhile', () =>
      everywhere(
        () => setCounter('(1 << shift) - 12'),
        async () => {},
      ))
  },
)
