import { readFileSync } from 'node:fs'
import { flax, prefixed, sno } from '@snoflax/core'
import { sqlCall } from '@snoflax/core/adapter'
import { uid } from '@snoflax/families'
import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from './installed.js'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

const customerId = prefixed(flax, 'cus')

test('generated columns, views, indexes, checks and defaults work with prefixed texts', async () => {
  const query = (sql: string, values?: unknown[]) => database.query(sql, values)
  await query(`CREATE TABLE customer (
    id uuid PRIMARY KEY,
    public_id text COLLATE "C" GENERATED ALWAYS AS (snoflax.flax_encode(id, 'cus')) STORED UNIQUE)`)
  await query(`CREATE VIEW customers AS SELECT snoflax.flax_encode(id, 'cus') AS id FROM customer`)
  await query(`CREATE INDEX ON customer (snoflax.flax_encode(id, 'c'))`)
  await query(`CREATE TABLE log (
    customer text NOT NULL DEFAULT snoflax.flax_encode(snoflax.flax_generate(), 'cus')
      CHECK (snoflax.flax_decode(customer, 'cus') IS NOT NULL))`)

  const id = customerId.generate()
  await query(`INSERT INTO customer (id) VALUES (snoflax.flax_to_uuid(snoflax.flax_decode($1, 'cus')))`, [id])
  expect(await query('SELECT public_id FROM customer')).toEqual([{ public_id: id }])
  expect(await query('SELECT id FROM customers')).toEqual([{ id }])
  const [made] = await query('INSERT INTO log DEFAULT VALUES RETURNING customer')
  expect(customerId.is(made?.['customer'])).toBe(true)
  await expect(query('INSERT INTO log VALUES ($1)', [prefixed(sno, 'ord').generate()])).rejects.toMatchObject(
    {
      code: '22P02',
      message: expect.stringContaining('flax_decode: an id must begin with "cus_", not "ord_'),
    },
  )
})

test('the domain of the README refuses other texts; ranges and partition_ddl take it', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  await database.query(/`(CREATE DOMAIN customer_id [^`]*)`/.exec(readme)?.[1] as string)
  await database.query('CREATE TABLE of_domain (id customer_id) PARTITION BY RANGE (id)')
  const id = customerId.generateAt(Date.UTC(2026, 10, 1))
  const [row] = await database.query(
    `SELECT snoflax.partition_ddl('of_domain', 'flax', 'text', '2026-11-01Z', '2026-12-01Z', '1 month') AS ddl`,
  )
  await database.query(row?.['ddl'] as string)
  await database.query('INSERT INTO of_domain VALUES ($1)', [id])
  for (const wrong of [prefixed(flax, 'ord').generate(), id.slice(0, -1)]) {
    await expect(database.query('INSERT INTO of_domain VALUES ($1)', [wrong])).rejects.toMatchObject({
      code: '23514',
    })
  }
  const within = "snoflax.flax_between(id, '2026-11-01Z', '2026-11-02Z', 'cus')"
  expect(await database.query(`SELECT id FROM of_domain WHERE ${within}`)).toEqual([{ id }])
})

test('a lookup by a prefixed text uses the primary key', async () => {
  const [row = {}] = await database.query(`EXPLAIN (FORMAT JSON) SELECT FROM customer
    WHERE id = snoflax.flax_to_uuid(snoflax.flax_decode('${customerId.generate()}', 'cus'))`)
  const plan = JSON.stringify(row['QUERY PLAN'])
  expect(plan).toMatch(/Index (Only )?Scan|Bitmap/)
  expect(plan).not.toContain('flax_decode')
})

describe.each([flax, sno, uid])('a text column with a prefix, of $name', (base) => {
  const family = prefixed<string, typeof flax>(base as unknown as typeof flax, 'cus')
  const table = `by_${base.name}`
  const call = (verb: string, args: string) => `snoflax.${base.name}_${verb}(${args}, 'cus')`

  beforeAll(async () => {
    await database.query(`SELECT snoflax.sno_set_partition(7), snoflax.uid_set_node('here')`)
    await database.query(
      `CREATE TABLE ${table} (id text COLLATE "C" PRIMARY KEY DEFAULT ${sqlCall(family, 'text')}, n integer)`,
    )
  })

  test('gets ids by default that core reads', async () => {
    const rows = await database.query(`INSERT INTO ${table} (n) SELECT generate_series(1, 20) RETURNING id`)
    const ids = rows.map(({ id }) => family.parse(id))
    expect(new Set(ids).size).toBe(20)
    const times = await database.query(
      `SELECT id, extract(epoch FROM snoflax.${base.name}_time(id))::float8 * 1000 AS ms FROM ${table}`,
    )
    for (const { id, ms } of times) expect(ms).toBe(family.timeMs(id as never))
    expect(await database.query(`SELECT bool_and(${call('is_valid', 'id')}) AS all FROM ${table}`)).toEqual([
      { all: true },
    ])
  })

  test('refuses another prefix, and has nothing of it in a range', async () => {
    const other = `ord_${(family.min as string).slice(4)}`
    expect(
      await database.query(
        `SELECT ${call('is_valid', '$1')} AS is, ${call('between', "$1, '-infinity', 'infinity'")} AS within`,
        [other],
      ),
    ).toEqual([{ is: false, within: false }])
  })
})
