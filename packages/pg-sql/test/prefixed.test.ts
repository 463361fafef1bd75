import { flax, prefixed, sno } from '@snoflax/core'
import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
    public_id text COLLATE "C" GENERATED ALWAYS AS (snoflax.flax_prefixed_encode('cus', id)) STORED UNIQUE)`)
  await query(`CREATE VIEW customers AS SELECT snoflax.flax_prefixed_encode('cus', id) AS id FROM customer`)
  await query(`CREATE INDEX ON customer (snoflax.flax_prefixed_encode('c', id))`)
  await query(`CREATE TABLE log (
    customer text NOT NULL DEFAULT snoflax.flax_prefixed_encode('cus', snoflax.flax_generate())
      CHECK (snoflax.flax_prefixed_decode('cus', customer) IS NOT NULL))`)

  const id = customerId.generate()
  await query(
    `INSERT INTO customer (id) VALUES (snoflax.flax_to_uuid(snoflax.flax_prefixed_decode('cus', $1)))`,
    [id],
  )
  expect(await query('SELECT public_id FROM customer')).toEqual([{ public_id: id }])
  expect(await query('SELECT id FROM customers')).toEqual([{ id }])
  const [made] = await query('INSERT INTO log DEFAULT VALUES RETURNING customer')
  expect(customerId.is(made?.['customer'])).toBe(true)
  await expect(query('INSERT INTO log VALUES ($1)', [prefixed(sno, 'ord').generate()])).rejects.toMatchObject(
    {
      code: '22P02',
      message: expect.stringContaining('flax_prefixed_decode: an id must begin with "cus_", not "ord_'),
    },
  )
})

test('a lookup by a prefixed text uses the primary key', async () => {
  const [row = {}] = await database.query(`EXPLAIN (FORMAT JSON) SELECT FROM customer
    WHERE id = snoflax.flax_to_uuid(snoflax.flax_prefixed_decode('cus', '${customerId.generate()}'))`)
  const plan = JSON.stringify(row['QUERY PLAN'])
  expect(plan).toMatch(/Index (Only )?Scan|Bitmap/)
  expect(plan).not.toContain('flax_prefixed_decode')
})
