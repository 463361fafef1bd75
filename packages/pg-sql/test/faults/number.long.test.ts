import { install } from '@snoflax/pg-sql'
import { type OpenDatabase, type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inCopyOf, openInstalled, openPostgres, servers, waiting } from '../installed.js'
import { generators, numbered, setNumbers } from './generators.js'
import { MadeIds } from './made-ids.js'
import { scriptClock } from './scripted-clock.js'

// Sessions that wait for the lock below.
const WAITING = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** Runs the work in an installed database of its own. */
async function inFresh(work: (fresh: PostgresDatabase) => Promise<void>): Promise<void> {
  const fresh = await openPostgres()
  try {
    await work(fresh)
  } finally {
    await fresh.close()
  }
}

describe.each(numbered)('the number of $family', ({ firstUs, generate, number, numberIn }) => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await openPostgres()
  })
  afterAll(() => database.close())

  const make = async () => (await database.query(`SELECT ${generate} AS id`))[0]?.['id'] as string
  const numberOf = (id: unknown) => numberIn(id as string)

  test('is required also in the first unit of the family', () =>
    inFresh(async (fresh) => {
      await scriptClock(fresh, firstUs)
      await expect(fresh.query(`SELECT ${generate}`)).rejects.toMatchObject({ code: '55000' })
      await fresh.query(number(3) as string)
      const [row] = await fresh.query(`SELECT ${generate} AS id`)
      expect(numberOf(row?.['id'])).toBe(3)
    }))

  test('is in the ids after it was set, and kept by a second installation, like the state', async () => {
    await database.query(number(3) as string)
    const before = await make()
    await install(database.pool)
    const after = await make()
    expect([before, after].map(numberOf)).toEqual([3, 3])
    expect(after > before).toBe(true)
  })

  test('is used by open sessions, prepared statements and running transactions once it changes', async () => {
    const session = await database.connect()
    await session.query(`PREPARE make AS SELECT ${generate} AS id`)
    for (let i = 0; i < 8; i++) await session.query('EXECUTE make')
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    expect(numberOf((await session.query('EXECUTE make')).rows[0].id)).toBe(3)

    await database.query(number(4) as string)
    // The unit in which the number changed may go on with the old one.
    await session.query('SELECT pg_sleep(0.02)')
    expect(numberOf((await session.query('EXECUTE make')).rows[0].id)).toBe(4)
    await session.query('COMMIT')
    expect(numberOf((await session.query('EXECUTE make')).rows[0].id)).toBe(4)
  })

  test('is used in the middle of a running statement once it changes', async () => {
    const [session, gate] = [await database.connect(), await database.connect()]
    await gate.query('SELECT pg_advisory_lock(7)')
    // Volatile, so a new one for each row. Halfway it waits for the lock.
    const running = session.query(
      `SELECT ${generate} AS id, pg_sleep(0.005), CASE n WHEN 10 THEN pg_advisory_xact_lock(7) END
         FROM generate_series(1, 20) AS n`,
    )
    await expect.poll(() => database.query(WAITING)).toHaveLength(1)
    await database.query(number(5) as string)
    await gate.query('SELECT pg_advisory_unlock(7)')
    const found = (await running).rows.map(({ id }) => numberOf(id))
    expect(found[0]).toBe(4)
    expect(found.at(-1)).toBe(5)
  })
})

describe.each(servers)('$name', (kind) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openInstalled(kind)
  })
  afterAll(() => database.close())

  test('a number is required before the first id, and the error says how to set it', async () => {
    for (const { family, generate } of numbered) {
      await expect(database.query(`SELECT ${generate}`)).rejects.toMatchObject({
        code: '55000',
        message: expect.stringContaining(`${family}_generate: `),
        hint: expect.stringContaining(`SELECT snoflax.${family}_set_`),
      })
    }
    await database.query('SELECT snoflax.flax_generate(), snoflax.uid_local_generate()')
    await setNumbers(database, 7)
    for (const { generate } of numbered) expect(await database.query(`SELECT ${generate}`)).toHaveLength(1)
  })

  test.each([
    ['sno_set_partition(-1)', '22003'],
    ['sno_set_partition(65536)', '22003'],
    ['sno_set_partition(NULL)', '22023'],
    ['flake_set_worker(32, 0)', '22003'],
    ['flake_set_worker(0, -1)', '22003'],
    ['flake_set_worker(0, 32)', '22003'],
    ['flake_set_worker(NULL, 0)', '22023'],
    ['flake_set_worker(0, NULL)', '22023'],
    ['flake_set_worker(0, 0, 8640000000000000)', '22003'],
    ["uid_set_node('')", '22023'],
    ['uid_set_node(NULL::text)', '22023'],
    ['uid_set_node(-1)', '22003'],
    ['uid_set_node(4294967296)', '22003'],
    ['sno_set_partition(65535)', undefined],
    ['flake_set_worker(31, 31)', undefined],
    ["uid_set_node('a@b')", undefined],
  ])('%s: error %s', async (call, code) => {
    const setting = database.query(`SELECT snoflax.${call}`)
    if (code) await expect(setting).rejects.toMatchObject({ code })
    else await setting
  })

  test('the epoch of flake cannot be changed once there are ids', async () => {
    const fresh = await openInstalled(kind)
    try {
      await fresh.query('SELECT snoflax.flake_set_worker(1, 1, 1)')
      await fresh.query('SELECT snoflax.flake_set_worker(1, 1, 1420070400000)')
      const [row] = await fresh.query(
        'SELECT abs(extract(epoch FROM clock_timestamp() - snoflax.flake_time(snoflax.flake_generate(), 1420070400000))) < 60 AS near',
      )
      expect(row).toEqual({ near: true })
      const refused = fresh.query('SELECT snoflax.flake_set_worker(1, 1)')
      await expect(refused).rejects.toMatchObject({ code: '55000' })
      await fresh.query('SELECT snoflax.flake_set_worker(1, 2, 1420070400000)')
    } finally {
      await fresh.close()
    }
  })
})

test('a first id while the epoch of flake changes waits for the new one', () =>
  inFresh(async (fresh) => {
    await fresh.query('SELECT snoflax.flake_set_worker(1, 1, 1)')
    const [owner, session] = [await fresh.connect(), await fresh.connect()]
    await owner.query('BEGIN; SELECT snoflax.flake_set_worker(1, 1, 1420070400000)')
    let isDone = false
    const first = session.query('SELECT snoflax.flake_generate() AS id').finally(() => {
      isDone = true
    })
    await expect.poll(async () => isDone || (await waiting(fresh)).length > 0).toBe(true)
    await owner.query('COMMIT')
    const near =
      'SELECT abs(extract(epoch FROM clock_timestamp() - snoflax.flake_time($1::bytea, 1420070400000))) < 60 AS near'
    expect(await fresh.query(near, [(await first).rows[0].id])).toEqual([{ near: true }])
    await owner.end()
    await session.end()
  }))

test('an epoch of flake must be given', () =>
  inFresh(async (fresh) => {
    const refused = fresh.query('SELECT snoflax.flake_set_worker(1, 1, NULL)')
    await expect(refused).rejects.toMatchObject({
      code: '22023',
      message: 'flake_set_worker: epoch_ms is NULL',
    })
  }))

test('epochs that change at the same time do so one after another', () =>
  inFresh(async (fresh) => {
    await fresh.query('SELECT snoflax.flake_set_worker(1, 1, 1)')
    const [owner, other] = [await fresh.connect(), await fresh.connect()]
    await owner.query('BEGIN; SELECT snoflax.flake_set_worker(1, 1, 2)')
    const later = other.query('SELECT snoflax.flake_set_worker(1, 1, 3)')
    await expect.poll(() => waiting(fresh)).toHaveLength(1)
    await owner.query('SELECT snoflax.flake_set_worker(1, 1, 4); COMMIT')
    await later
    expect(await fresh.query('SELECT snoflax._flake_epoch_ms() AS epoch')).toEqual([{ epoch: '3' }])
    await owner.end()
    await other.end()
  }))

test('an epoch that is refused waits for nobody', () =>
  inFresh(async (fresh) => {
    await fresh.query('SELECT snoflax.flake_set_worker(1, 1, 1)')
    await fresh.query('SELECT snoflax.flake_generate()')
    const reader = await fresh.connect()
    await reader.query('BEGIN; TABLE snoflax._generator')
    await expect(fresh.query('SELECT snoflax.flake_set_worker(1, 1)')).rejects.toMatchObject({
      code: '55000',
    })
    await reader.end()
  }))

test('a generator works in the transaction that installs it', async () => {
  const database = await postgres.open()
  try {
    const session = await database.connect()
    await session.query('BEGIN')
    await install(session)
    await setNumbers({ query: async (sql) => (await session.query(sql)).rows }, 2)
    for (const { generate } of generators) {
      const { rows } = await session.query(
        `SELECT count(DISTINCT id) FROM (SELECT ${generate} AS id FROM generate_series(1, 100)) made`,
      )
      expect(rows).toEqual([{ count: '100' }])
    }
    await session.query('COMMIT')
  } finally {
    await database.close()
  }
})

test('a copy of a database generates no ids before its numbers are set, while the original continues', async () => {
  const original = await openPostgres()
  const idsOf = ({ generate }: (typeof numbered)[number]) =>
    `SELECT ${generate} AS id FROM generate_series(1, 500)`
  try {
    await setNumbers(original, 7)
    const made = new Map(numbered.map((one) => [one, new MadeIds()]))
    for (const [one, ids] of made) await ids.addFrom(() => original.pool.query(idsOf(one)))
    await inCopyOf(original, async (client) => {
      for (const [one, ids] of made) {
        const refusal = { code: '55000', message: expect.stringContaining('copy') }
        for (const _ of [1, 2]) await expect(client.query(idsOf(one))).rejects.toMatchObject(refusal)
        // Nor does a session that claims to have checked, with the value that one of the original has.
        const claim = (value: string) =>
          client.query(`SELECT set_config('snoflax.${one.family}_checked', ${value}, false)`)
        await claim("'yes'")
        await expect(client.query(idsOf(one))).rejects.toMatchObject(refusal)
        await claim(`'snoflax._${one.family}_timeline'::regclass::oid::text`)
        await expect(client.query(idsOf(one))).rejects.toMatchObject({ code: '55000' })
        await claim('NULL')
        await client.query(one.number(8) as string)
        const both = [client, original.pool]
        await Promise.all(both.map((where) => ids.addFrom(() => where.query(idsOf(one)))))
        ids.expectNoRepeat()
        expect(ids.count).toBe(1500)
        const results = await Promise.all(both.map((where) => where.query(idsOf(one))))
        expect(results.map(({ rows }) => one.numberIn(rows[0].id))).toEqual([8, 7])
      }
    })
  } finally {
    await original.close()
  }
})
