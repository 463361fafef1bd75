import { installSql } from '@snoflax/pg-sql'
import type { PostgresDatabase } from '@snoflax/test'
import { connectTo, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generators, setNumbers } from './generators.js'

type Session = Awaited<ReturnType<PostgresDatabase['connect']>>

describe('a role that may only generate ids', () => {
  let database: PostgresDatabase
  let session: Session
  beforeAll(async () => {
    database = await postgres.open()
    const role = await database.role()
    await database.query(installSql({ grantTo: [role.name] }))
    await setNumbers(database, 7)
    session = await connectTo(role.url)
  })
  afterAll(async () => {
    await session.end()
    await database.close()
  })

  test.each(generators)('generates ids of $family, over many units', async ({ generate }) => {
    const { rows } = await session.query(
      `SELECT count(DISTINCT id)::int AS ids FROM (SELECT ${generate} AS id, pg_sleep(0.001) FROM generate_series(1, 50)) made`,
    )
    expect(rows).toEqual([{ ids: 50 }])
  })

  test.each([
    'SELECT snoflax.sno_set_partition(1)',
    'SELECT snoflax.flake_set_worker(1, 1)',
    'SELECT snoflax.uid_set_node(1)',
    "SELECT snoflax.uid_set_node('a')",
    "SELECT snoflax._clock_set_number('sno', 1)",
    "SELECT snoflax._clock_constant('_sno_number', 1)",
    'SELECT * FROM snoflax._generator',
    'UPDATE snoflax._generator SET number = 1',
    "SELECT setval('snoflax.sno_state', 0)",
    "SELECT setval('snoflax._sno_timeline', 0)",
    'CREATE FUNCTION snoflax._sno_number() RETURNS bigint RETURN 1',
    'CREATE OR REPLACE FUNCTION snoflax._clock_us() RETURNS bigint RETURN 1',
  ])('is refused: %s', async (statement) => {
    await expect(session.query(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test('cannot change the recorded timeline', async () => {
    for (const { family, generate } of generators) {
      await session.query(`SELECT ${generate}`)
      await expect(session.query(`SELECT nextval('snoflax._${family}_timeline')`)).rejects.toMatchObject({
        code: '2200H',
      })
    }
  })

  test("gets PostgreSQL's error if nothing may be written", async () => {
    await session.query('BEGIN READ ONLY')
    await expect(session.query('SELECT snoflax.sno_generate()')).rejects.toMatchObject({ code: '25006' })
    await session.query('ROLLBACK')
    await session.query('BEGIN READ ONLY')
    await session.query('SELECT snoflax.flax_generate()')
    await session.query('ROLLBACK')
  })
})

test('a role without USAGE on the sequence generates no ids', async () => {
  const database = await postgres.open()
  const role = await database.role()
  await database.query(`${installSql()}; GRANT USAGE ON SCHEMA snoflax TO ${role.name}`)
  await setNumbers(database, 7)
  const session = await connectTo(role.url)
  try {
    await expect(session.query('SELECT snoflax.sno_generate()')).rejects.toMatchObject({ code: '42501' })
  } finally {
    await session.end()
    await database.close()
  }
})

test('an owner who is not a superuser installs, sets numbers and generates ids', async () => {
  const database = await postgres.open()
  const role = await database.role()
  await database.query(`GRANT CREATE ON DATABASE ${database.name} TO ${role.name}`)
  const session = await connectTo(role.url)
  try {
    await session.query(installSql())
    await setNumbers({ ...database, query: async (sql) => (await session.query(sql)).rows }, 7)
    for (const { generate } of generators) {
      await session.query(`SELECT ${generate} AS id, pg_sleep(0.001) FROM generate_series(1, 20)`)
    }
    // The identity is read, not given up.
    const { rows } = await session.query(
      'SELECT snoflax._server_system() = system_identifier AS system, snoflax._server_timeline() AS timeline FROM pg_control_system()',
    )
    expect(rows).toEqual([{ system: true, timeline: '1' }])
  } finally {
    await session.end()
    await database.query(`DROP OWNED BY ${role.name}`)
    await database.close()
  }
})
