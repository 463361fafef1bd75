import { type OpenDatabase, onConnection, type PostgresDatabase, sharedPostgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInstalled, openPostgres, servers } from './installed.js'

const SETTERS = {
  sno: 'snoflax.sno_set_partition(7)',
  flake: 'snoflax.flake_set_worker(7, 3)',
  uid: "snoflax.uid_set_node('orders@10.0.0.7')",
}
const NUMBERED = Object.keys(SETTERS) as (keyof typeof SETTERS)[]

describe.each(servers)('$name', (kind) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openInstalled(kind)
  })
  afterAll(() => database.close())

  test.each(NUMBERED)('%s requires its number first, and the error has the statement', async (name) => {
    const generate = () => database.query(`SELECT snoflax.${name}_generate()`)
    await expect(generate()).rejects.toMatchObject({
      code: '55000',
      hint: expect.stringContaining(SETTERS[name].split('(')[0] as string),
    })
    await database.query(`SELECT ${SETTERS[name]}`)
    expect(await generate()).toHaveLength(1)
  })

  test('flax and uid_local require none', async () => {
    const sql = 'SELECT snoflax.flax_generate() AS a, snoflax.uid_local_generate() AS b'
    expect(await database.query(sql)).toHaveLength(1)
  })

  test.each([
    ['snoflax.sno_set_partition(-1)', '22003'],
    ['snoflax.sno_set_partition(65536)', '22003'],
    ['snoflax.sno_set_partition(NULL)', '22023'],
    ['snoflax.flake_set_worker(32, 0)', '22003'],
    ['snoflax.flake_set_worker(0, -1)', '22003'],
    ['snoflax.flake_set_worker(NULL, 0)', '22023'],
    ['snoflax.flake_set_worker(0, 0, 8640000000000000)', '22003'],
    ["snoflax.uid_set_node('')", '22023'],
    ['snoflax.uid_set_node(-1)', '22003'],
    ['snoflax.uid_set_node(4294967296)', '22003'],
    ['snoflax.uid_set_node(NULL::text)', '22023'],
  ])('%s is refused', async (call, code) => {
    await expect(database.query(`SELECT ${call}`)).rejects.toMatchObject({ code })
  })

  test('another epoch is refused after the first flake, the same one is not', async () => {
    await database.query('SELECT snoflax.flake_set_worker(7, 3), snoflax.flake_generate()')
    const refused = database.query('SELECT snoflax.flake_set_worker(7, 3, 1262304000000)')
    await expect(refused).rejects.toMatchObject({ code: '55000' })
    await database.query('SELECT snoflax.flake_set_worker(7, 4, 0)')
  })
})

describe('a flake with another epoch', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await openPostgres()
  })
  afterAll(() => database.close())

  test('has the present time', async () => {
    await database.query('SELECT snoflax.flake_set_worker(1, 1, 1262304000000)')
    const rows = await database.query(`SELECT
      abs(extract(epoch FROM snoflax.flake_time(snoflax.flake_generate_bigint(), 1262304000000) - clock_timestamp()))
        < 5 AS now`)
    expect(rows).toEqual([{ now: true }])
  })
})

describe('a copy of a database', () => {
  const place = sharedPostgres()
  const copy = `${place.prefix}_copy_of_one`
  let original: PostgresDatabase
  beforeAll(async () => {
    original = await openPostgres()
    for (const setter of Object.values(SETTERS)) await original.query(`SELECT ${setter}`)
    for (const name of NUMBERED) await original.query(`SELECT snoflax.${name}_generate()`)
    // No session may be in the database that is copied.
    await original.pool.end()
    await onConnection(place.url, (admin) => admin.query(`CREATE DATABASE ${copy} TEMPLATE ${original.name}`))
  })
  afterAll(async () => {
    await onConnection(place.url, async (admin) => {
      await admin.query(`DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`)
      await admin.query(`DROP DATABASE IF EXISTS ${original.name} WITH (FORCE)`)
    })
  })

  const inside = (name: string, sql: string) => {
    const url = new URL(place.url)
    url.pathname = `/${name}`
    return onConnection(url.href, (client) => client.query(sql))
  }

  test.each(NUMBERED)(
    'refuses %s until its number is set again, while the original continues',
    async (name) => {
      const generate = `SELECT snoflax.${name}_generate()`
      // At the latest when the copied state is 0.1 s behind the clock.
      await inside(copy, 'SELECT pg_sleep(0.15)')
      await expect(inside(copy, generate)).rejects.toMatchObject({ code: '55000' })
      await expect(inside(copy, generate)).rejects.toThrow(/copy/)
      expect((await inside(original.name, generate)).rowCount).toBe(1)
      await inside(copy, `SELECT ${SETTERS[name]}`)
      expect((await inside(copy, generate)).rowCount).toBe(1)
    },
  )
})
