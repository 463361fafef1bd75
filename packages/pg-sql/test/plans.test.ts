import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres } from './installed.js'
import { FOUND, FROM, testPlans, UNTIL } from './plan-checks.js'
import { isQuick, planOf, queryOf, STORED } from './plans.js'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

testPlans(STORED.filter(isQuick), () => database)

/** Rows of a query, and the indexes that it uses. */
async function searched(sql: string): Promise<{ rows: unknown[]; indexes: unknown[] }> {
  const nodes = await planOf(queryOf(database), sql)
  return { rows: await database.query(sql), indexes: nodes.flatMap((node) => node['Index Name'] ?? []) }
}

test('a column of the domain is read as uuid8', async () => {
  await database.query('CREATE TABLE domain8 AS SELECT id::snoflax.flax_uuid8 FROM flax_uuid8')
  await database.query('CREATE INDEX domain8_id ON domain8 (id); ANALYZE domain8')
  const { rows, indexes } = await searched(
    `SELECT id FROM domain8 WHERE snoflax.flax_between(id, ${FROM}, ${UNTIL})`,
  )
  expect(rows).toHaveLength(FOUND)
  expect(indexes).toContain('domain8_id')
})

test('text with another collation returns the same rows', async () => {
  await database.query('CREATE TABLE collated (id text COLLATE "und-x-icu" PRIMARY KEY)')
  await database.query('INSERT INTO collated SELECT id FROM flax_text')
  const sql = (table: string) =>
    `SELECT id COLLATE "C" AS id FROM ${table} WHERE snoflax.flax_between(id, ${FROM}, ${UNTIL}) ORDER BY 1`
  expect(await database.query(sql('collated'))).toEqual(await database.query(sql('flax_text')))
})

test('a bound may come from a subquery; one that is not IMMUTABLE would scan the whole table', async () => {
  await database.query(
    `CREATE TABLE whole (id uuid PRIMARY KEY); INSERT INTO whole SELECT id FROM flax_uuid; ANALYZE whole;
     CREATE FUNCTION volatile_bound(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE
       AS 'SELECT snoflax.flax_lower_bound_uuid(at) WHERE random() >= 0'`,
  )
  const subquery = await searched(
    `SELECT * FROM whole WHERE snoflax.flax_between(id, (SELECT ${FROM}), (SELECT ${UNTIL}))`,
  )
  expect(subquery.indexes).toEqual(['whole_pkey'])
  expect(subquery.rows).toHaveLength(FOUND)
  const nodes = await planOf(queryOf(database), `SELECT * FROM whole WHERE id >= volatile_bound(${FROM})`)
  expect(nodes.map((node) => node['Node Type'])).toEqual(['Seq Scan'])
})
