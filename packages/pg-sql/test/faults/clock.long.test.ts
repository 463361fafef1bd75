import type { PostgresDatabase } from '@snoflax/test'
import { postgres } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Generator } from './generators.js'
import { generators, installGenerators } from './generators.js'
import { MadeIds } from './made-ids.js'
import type { ScriptedClock } from './scripted-clock.js'
import { START_US, scriptClock } from './scripted-clock.js'

const SECOND = 1_000_000

describe.each(generators)(
  '$family with a clock that',
  ({ family, generate, state, unitUs, number }: Generator) => {
    let database: PostgresDatabase
    let clock: ScriptedClock
    let made: MadeIds
    let last = ''

    beforeEach(async () => {
      database = await postgres.open({ template: { name: 'generators', prepare: installGenerators } })
      // The template is a copy as any other.
      const statement = number(7)
      if (statement) await database.query(statement)
      clock = await scriptClock(database)
      made = new MadeIds()
      last = ''
    })
    afterEach(() => database.close())

    const make = async (count: number) => {
      const rows = await database.query(`SELECT ${generate} AS id FROM generate_series(1, $1)`, [count])
      const ids = rows.map(({ id }) => id as string)
      made.add(last ? [last, ...ids].slice(1) : ids)
      expect((ids[0] as string) > last).toBe(true)
      last = ids.at(-1) as string
    }
    const aheadUs = async () => {
      const [row] = await database.query(`SELECT snoflax.${family}_time($1::bytea) AS at`, [
        Buffer.from(last, 'hex'),
      ])
      return (row as { at: Date }).at.getTime() * 1000 - (await clock.now())
    }

    test('stands still: ids are generated, also in the next unit when one is used up', async () => {
      await make(20_000)
      await make(20_000)
      await make(80_000)
      made.expectNoRepeat()
      expect(made.count).toBe(120_000)
      expect(await aheadUs()).toBeLessThan(SECOND)
    })

    test('moves on: ids have the time of the clock', async () => {
      for (const step of [unitUs, 1, 999, 60 * SECOND, 3600 * SECOND, 400 * 86_400 * SECOND]) {
        await clock.move(step)
        await make(10)
        expect(Math.abs(await aheadUs())).toBeLessThan(3 * unitUs + 1000)
      }
      made.expectNoRepeat()
    })

    test.each([0.02, 0.5, 5, 9.9])('moves back %f s: ids are greater all the same', async (seconds) => {
      await make(100)
      await clock.move(-seconds * SECOND)
      await make(100)
      await clock.move(0.3 * seconds * SECOND)
      await make(100)
      await clock.move(seconds * SECOND)
      await make(100)
      made.expectNoRepeat()
      expect(Math.abs(await aheadUs())).toBeLessThan(3 * unitUs + 1000)
    })

    test('moves back an hour: an error says how far, until the clock has caught up', async () => {
      await make(100)
      await clock.move(-3600 * SECOND)
      const { rejects } = expect(make(1))
      await rejects.toMatchObject({
        code: '55000',
        message: expect.stringMatching(new RegExp(`^${family}_generate: the last id is 3600\\.\\d* s ahead`)),
        hint: expect.stringContaining(state),
      })
      await clock.move(3585 * SECOND)
      await expect(make(1)).rejects.toMatchObject({ code: '55000' })
      await clock.move(10 * SECOND)
      await make(100)
      made.expectNoRepeat()
    })

    test("was wrong: the error's hint leads back to ids of the present", async () => {
      await clock.move(86_400 * SECOND)
      await make(100)
      await clock.move(-86_400 * SECOND)
      const error = await make(1).then(
        () => undefined,
        (thrown: { hint: string }) => thrown,
      )
      const statements = [...(error?.hint ?? '').matchAll(/SELECT [\w.]+\(.*?\)(?=[,.])/g)].map(
        ([text]) => text,
      )
      expect(statements).toHaveLength(number(8) ? 2 : 1)
      if (number(8)) await database.query(number(8) as string)
      await database.query(statements.at(-1) as string)
      last = ''
      await make(100)
      made.expectNoRepeat()
      expect(Math.abs(await aheadUs())).toBeLessThan(3 * unitUs + 1000)
    })

    test('is before the epoch or after the last time: error 22008', async () => {
      for (const us of [-1, -5 * SECOND, START_US * 8]) {
        await clock.set(us)
        await expect(make(1)).rejects.toMatchObject({ code: '22008' })
      }
      await clock.set(START_US)
      await make(10)
    })
  },
)

describe('at the ends of their times', () => {
  let database: PostgresDatabase
  beforeEach(async () => {
    database = await postgres.open()
    await installGenerators(database)
  })
  afterEach(() => database.close())

  test('a flake from 2^63 is an error as bigint, and none as bytea', async () => {
    // 2^41 ms.
    const clock = await scriptClock(database, 2_199_023_255_551_000)
    const [before] = await database.query('SELECT snoflax.flake_generate_bigint() AS id')
    expect(BigInt(before?.['id'] as string) >> 22n).toBe(2n ** 41n - 1n)
    await clock.move(1000)
    const refused = database.query('SELECT snoflax.flake_generate_bigint()')
    await expect(refused).rejects.toMatchObject({ code: '22003' })
    const [after] = await database.query("SELECT encode(snoflax.flake_generate(), 'hex') AS id")
    expect(BigInt(`0x${after?.['id']}`) >> 22n).toBe(2n ** 41n)
  })

  test('a sno of the last unit is generated, and none after it', async () => {
    const clock = await scriptClock(database, 3_461_327_255_551_999)
    const [row] = await database.query("SELECT encode(snoflax.sno_generate(255), 'hex') AS id")
    expect(row?.['id']).toBe('fffffffffeff00070000')
    await clock.move(1)
    await expect(database.query('SELECT snoflax.sno_generate()')).rejects.toMatchObject({ code: '22008' })
  })

  test('a flax of the first and the last millisecond is generated, and none before or after', async () => {
    const clock = await scriptClock(database)
    const calls = ['', '_text', '_uuid', '_uuid8'].map((form) => `snoflax.flax_generate${form}()`)
    for (const ms of [1_420_070_400_000, 2_519_582_027_775]) {
      await clock.set(ms * 1000 + 999)
      for (const call of calls) {
        const sql = `SELECT extract(epoch FROM snoflax.flax_time(${call}))::float8 * 1000 AS ms`
        expect(await database.query(sql), call).toEqual([{ ms }])
      }
    }
    for (const us of [0, -1, 1_420_070_399_999_999, 2_519_582_027_776_000, 4e15]) {
      await clock.set(us)
      for (const call of calls)
        await expect(database.query(`SELECT ${call}`), call).rejects.toMatchObject({ code: '22003' })
    }
  })
})
