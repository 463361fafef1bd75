import { installSql } from '@snoflax/pg-sql'
import type { PostgresDatabase } from '@snoflax/test'
import { postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generators, numbered, setNumbers } from './generators.js'
import { scriptClock } from './scripted-clock.js'

// Sessions that wait for the lock below.
const WAITING = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

describe.each(numbered)('the number of $family', ({ family, firstUs, generate, number, numberIn }) => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await postgres.open()
    await database.query(installSql())
  })
  afterAll(() => database.close())

  const make = async () => (await database.query(`SELECT ${generate} AS id`))[0]?.['id'] as string
  const numberOf = (id: unknown) => numberIn?.(id as string)

  test('is required before the first id, and the error says how to set it', async () => {
    await expect(make()).rejects.toMatchObject({
      code: '55000',
      message: expect.stringContaining(`${family}_generate: `),
      hint: expect.stringContaining(`SELECT snoflax.${family}_set_`),
    })
  })

  test('is required also in the first unit of the family', async () => {
    const fresh = await postgres.open()
    try {
      await fresh.query(installSql())
      await scriptClock(fresh, firstUs)
      await expect(fresh.query(`SELECT ${generate}`)).rejects.toMatchObject({ code: '55000' })
      await fresh.query(number(3) as string)
      const [row] = await fresh.query(`SELECT ${generate} AS id`)
      expect(numberOf(row?.['id'])).toBe(3)
    } finally {
      await fresh.close()
    }
  })

  test('is in the ids after it was set', async () => {
    await database.query(number(3) as string)
    expect(numberOf(await make())).toBe(3)
  })

  test('is kept by a second installation, like the state', async () => {
    const before = await make()
    await database.query(installSql())
    const after = await make()
    expect(numberOf(after)).toBe(3)
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

test('numbers out of range, and NULL, are refused', async () => {
  const database = await postgres.open()
  try {
    await database.query(installSql())
    const codeOf = (call: string) =>
      database.query(`SELECT snoflax.${call}`).then(
        () => 'taken',
        ({ code }) => code,
      )
    for (const call of ['sno_set_partition(-1)', 'sno_set_partition(65536)', 'flake_set_worker(0, 32)']) {
      expect([call, await codeOf(call)]).toEqual([call, '22003'])
    }
    for (const call of ['flake_set_worker(32, 0)', 'uid_set_node(-1)', 'uid_set_node(4294967296)']) {
      expect([call, await codeOf(call)]).toEqual([call, '22003'])
    }
    for (const call of ['sno_set_partition(NULL)', 'flake_set_worker(0, NULL)', "uid_set_node('')"]) {
      expect([call, await codeOf(call)]).toEqual([call, '22023'])
    }
    for (const call of ['sno_set_partition(65535)', 'flake_set_worker(31, 31)', "uid_set_node('a@b')"]) {
      expect([call, await codeOf(call)]).toEqual([call, 'taken'])
    }
  } finally {
    await database.close()
  }
})

test('the epoch of flake cannot be changed once there are ids', async () => {
  const database = await postgres.open()
  try {
    await database.query(installSql())
    await database.query('SELECT snoflax.flake_set_worker(1, 1, 1)')
    await database.query('SELECT snoflax.flake_set_worker(1, 1, 1420070400000)')
    const [row] = await database.query(
      'SELECT abs(extract(epoch FROM clock_timestamp() - snoflax.flake_time(snoflax.flake_generate(), 1420070400000))) < 60 AS near',
    )
    expect(row).toEqual({ near: true })
    await expect(database.query('SELECT snoflax.flake_set_worker(1, 1)')).rejects.toMatchObject({
      code: '55000',
    })
    await database.query('SELECT snoflax.flake_set_worker(1, 2, 1420070400000)')
  } finally {
    await database.close()
  }
})

test('a generator works in the transaction that installs it', async () => {
  const database = await postgres.open()
  try {
    const session = await database.connect()
    await session.query('BEGIN')
    await session.query(installSql())
    await setNumbers({ ...database, query: async (sql) => (await session.query(sql)).rows }, 2)
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
