import { install } from '@snoflax/pg-sql'
import type { OpenDatabase, PgliteDatabase, PostgresDatabase } from '@snoflax/test'
import { afterEach, describe, expect, test } from 'vitest'
import { openInstalled, openPostgres, servers } from '../installed.js'
import { generators, numbered, setNumbers } from './generators.js'
import { MadeIds } from './made-ids.js'
import { putClock, type ScriptedClock, START_US, scriptClock } from './scripted-clock.js'

const SECOND_US = 1_000_000

const opened: OpenDatabase[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

let database: PostgresDatabase
let clock: ScriptedClock
async function openScripted(): Promise<void> {
  database = await openPostgres()
  opened.push(database)
  clock = await scriptClock(database)
}
async function openNumbered(): Promise<void> {
  await openScripted()
  await setNumbers(database, 7)
}

/** As a user would, save for the clock. */
async function installAgain(): Promise<void> {
  await install(database.pool)
  await putClock(database)
}

describe.each(generators)('the state of $family', ({ family, generate, state, numberIn }) => {
  const timeline = `snoflax._${family}_timeline`

  test.each([
    ['was dropped', `DROP SEQUENCE ${state}`],
    ['was dropped with its timeline', `DROP SEQUENCE ${state}, ${timeline}`],
    ['lost its timeline', `DROP SEQUENCE ${timeline}`],
    ['was renamed', `ALTER SEQUENCE ${state} RENAME TO elsewhere`],
    ['was dropped and made by hand', `DROP SEQUENCE ${state}; CREATE SEQUENCE ${state} START 5`],
  ])('that %s: installing again repeats no id and keeps the order', async (_, loss) => {
    await openNumbered()
    const session = await database.connect()
    const made = new MadeIds()
    const make = (one: typeof session | typeof database.pool = database.pool) =>
      made.addFrom(() => one.query(`SELECT ${generate} AS id FROM generate_series(1, 20)`))
    await make(session)
    // As far ahead of the clock as ids may be, but for a second.
    await clock.move(-9 * SECOND_US)
    await make(session)

    await database.query(loss)
    await installAgain()
    expect(
      await database.query(
        `SELECT state::text, timeline::text FROM snoflax._generator WHERE family = '${family}'`,
      ),
    ).toEqual([{ state, timeline }])
    await make()
    await make(session)
    for (const step of [8, 1, 1, 60]) {
      await clock.move(step * SECOND_US)
      await make(session)
    }
    made.expectNoRepeat()
    made.expectOrder()
    expect(made.count).toBe(160)

    const [row] = await database.query(`SELECT ${generate} AS id`)
    if (numberIn) expect(numberIn(row?.['id'] as string)).toBe(7)
  })

  test('that exists is not changed', async () => {
    await openNumbered()
    const values = () =>
      database.query(`SELECT pg_sequence_last_value('${state}') AS state,
        pg_sequence_last_value('${timeline}') AS timeline, g.state AS row, g.number FROM snoflax._generator g
        WHERE family = '${family}'`)
    await database.query(`SELECT ${generate}`)
    const before = await values()
    await installAgain()
    expect(await values()).toEqual(before)
  })

  test('that was dropped is an error, which says what to do', async () => {
    await openNumbered()
    await database.query(`DROP SEQUENCE ${state}`)
    await expect(database.query(`SELECT ${generate}`)).rejects.toMatchObject({
      code: '42P01',
      message: expect.stringContaining(state),
    })
    await database.query(`CREATE SEQUENCE ${state}`)
    const missing = {
      code: '55000',
      message: `${family}_generate: the state of this generator is missing`,
      hint: 'Install again; that restores what is missing.',
    }
    await expect(database.query(`SELECT ${generate}`)).rejects.toMatchObject(missing)
    await database.query('DELETE FROM snoflax._generator')
    await expect(database.query(`SELECT ${generate}`)).rejects.toMatchObject(missing)
    await installAgain()
    await setNumbers(database, 7)
    await database.query(`SELECT ${generate}`)
  })
})

describe.each(numbered)('the number of $family', ({ family, generate, number, numberIn }) => {
  const make = async () => numberIn?.((await database.query(`SELECT ${generate} AS id`))[0]?.['id'] as string)

  test('is restored with its function', async () => {
    await openNumbered()
    await database.query(`DROP FUNCTION snoflax._${family}_number()`)
    await installAgain()
    expect(await make()).toBe(7)
  })

  test('must be set again if its row is new', async () => {
    await openNumbered()
    await database.query(`DELETE FROM snoflax._generator WHERE family = '${family}'`)
    await installAgain()
    await expect(make()).rejects.toMatchObject({ code: '55000', hint: expect.stringContaining('_set_') })
    await database.query(number(8) as string)
    expect(await make()).toBe(8)
  })
})

describe('the epoch of flake', () => {
  const EPOCH_MS = 1_420_070_400_000
  const setWorker = (epochMs: number) => database.query(`SELECT snoflax.flake_set_worker(0, 7, ${epochMs})`)

  test.each([
    ['the row', "DELETE FROM snoflax._generator WHERE family = 'flake'"],
    ['the state', 'DROP SEQUENCE snoflax.flake_state'],
    ['the function', 'DROP FUNCTION snoflax._flake_epoch_ms()'],
  ])('survives the loss of %s, and still cannot be changed', async (_, loss) => {
    await openScripted()
    await setWorker(EPOCH_MS)
    await database.query('SELECT snoflax.flake_generate()')
    await database.query(loss)
    await installAgain()
    expect(await database.query('SELECT snoflax._flake_epoch_ms() AS ms')).toEqual([{ ms: String(EPOCH_MS) }])
    await expect(setWorker(0)).rejects.toMatchObject({ code: '55000' })
    await setWorker(EPOCH_MS)
    const rows = await database.query(`SELECT extract(epoch FROM snoflax.flake_time(snoflax.flake_generate(),
      ${EPOCH_MS}))::float8 * 1000000 AS us`)
    expect(Math.abs(Number(rows[0]?.['us']) - START_US)).toBeLessThanOrEqual(10 * SECOND_US)
  })
})

test.each(servers)('everything dropped at once is restored, $name', async (kind) => {
  const one = (await openInstalled(kind)) as PgliteDatabase | PostgresDatabase
  opened.push(one)
  await setNumbers(one, 7)
  const make = async () =>
    (await one.query(`SELECT ${generators.map(({ generate }, i) => `${generate} AS id${i}`).join(', ')}`))[0]
  const before = Object.values((await make()) ?? {}) as string[]
  const sequences = generators.flatMap(({ family, state }) => [state, `snoflax._${family}_timeline`])
  await one.query(`DROP SEQUENCE ${sequences.join(', ')}`)
  await install(one.kind === 'pglite' ? one.connection : one.pool)
  const after = Object.values((await make()) ?? {}) as string[]
  expect(after.map((id, i) => id > (before[i] as string))).toEqual([true, true, true, true])
})
