import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { betweenSuffix } from './families.js'
import { openPostgres } from './installed.js'
import { planOf, queryOf, STORED, scanned } from './plans.js'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

const FROM = "timestamptz '2026-02-01Z'"
const UNTIL = "timestamptz '2026-03-01Z'"

describe.each(STORED)('$name in $storage', ({ name, storage, exact, type, lower, upper }) => {
  const table = `${name}_${storage}`
  // uid selects the whole last window, so it is rechecked.
  const range = (from: string, until: string) =>
    `id >= ${lower}(${from}) AND id < ${upper}(${until})${exact ? '' : ` AND snoflax.uid_time(id) < ${until}`}`

  beforeAll(async () => {
    // One id an hour for a year.
    await database.query(
      `CREATE TABLE ${table} (id ${type} PRIMARY KEY, padding text DEFAULT repeat('x', 100))`,
    )
    await database.query(`INSERT INTO ${table} (id) SELECT ${lower}(at)
      FROM generate_series(timestamptz '2026-01-01Z', '2026-12-31Z', '1 hour') AS at`)
    await database.query(`ANALYZE ${table}`)
  })

  test('a range of times scans that range of the index', async () => {
    const sql = `SELECT * FROM ${table} WHERE ${range(FROM, UNTIL)}`
    const nodes = await planOf(queryOf(database), sql)
    const scan = nodes.find((node) => node['Index Name'] === `${table}_pkey`)
    expect(scan?.['Index Cond']).toMatch(/id >= .* AND .*id < /)
    const { rowCount } = await database.pool.query(sql)
    expect(rowCount).toBe(28 * 24)
  })

  test('a range with parameters scans it, too, in a generic plan', async () => {
    const client = await database.connect()
    await client.query('SET plan_cache_mode = force_generic_plan')
    await client.query(
      `PREPARE search (timestamptz, timestamptz) AS SELECT * FROM ${table} WHERE ${range('$1', '$2')}`,
    )
    const nodes = await planOf((sql) => client.query(sql), `EXECUTE search (${FROM}, ${UNTIL})`)
    const scan = nodes.find((node) => node['Index Name'] === `${table}_pkey`)
    expect(scan?.['Index Cond']).toMatch(/\$1.*\$2/)
    expect((await client.query(`EXECUTE search (${FROM}, ${UNTIL})`)).rowCount).toBe(28 * 24)
    await client.end()
  })

  const between = (from: string, until: string) =>
    `snoflax.${name}_between${betweenSuffix({ name, storage })}(id, ${from}, ${until})`

  test('*_between scans the same range, with constants and with parameters in a generic plan', async () => {
    const found = async (
      query: (sql: string) => Promise<{ rows: Record<string, unknown>[] }>,
      sql: string,
    ) => {
      const nodes = await planOf(query, sql)
      const scan = nodes.find((node) => node['Index Name'] === `${table}_pkey`)
      expect(scan?.['Index Cond']).toMatch(/id >=? .* AND .*id <=? /)
      return (await query(sql)).rows
    }
    const sql = (from: string, until: string) =>
      `SELECT * FROM ${table} WHERE ${between(from, until)} ORDER BY id`
    const byBounds = await database.query(`SELECT * FROM ${table} WHERE ${range(FROM, UNTIL)} ORDER BY id`)
    expect(byBounds).toHaveLength(28 * 24)
    expect(await found(queryOf(database), sql(FROM, UNTIL))).toEqual(byBounds)

    const client = await database.connect()
    const query = (text: string) => client.query(text)
    await query('SET plan_cache_mode = force_generic_plan')
    await query(`PREPARE search (timestamptz, timestamptz) AS ${sql('$1', '$2')}`)
    expect(await found(query, `EXECUTE search (${FROM}, ${UNTIL})`)).toEqual(byBounds)
    await client.end()
  })

  test('*_between accepts ends before and after all ids', async () => {
    const count = async (from: string, until: string) => {
      const sql = `SELECT count(*)::integer AS all FROM ${table} WHERE ${between(`'${from}'`, `'${until}'`)}`
      return (await database.query(sql))[0]?.['all']
    }
    const [rows] = await database.query(`SELECT count(*)::integer AS all FROM ${table}`)
    expect(await count('-infinity', 'infinity')).toBe(rows?.['all'])
    expect(await count('4713-01-01 BC', '200000-01-01')).toBe(rows?.['all'])
    expect(await count('200000-01-01', 'infinity')).toBe(0)
    expect(await count('-infinity', '1900-01-01')).toBe(0)
    expect(await count('2026-03-01Z', '2026-02-01Z')).toBe(0)
  })

  const smallest = type === 'uuid' || type === 'bytea' ? 'snoflax.min' : 'min'
  test('min and max use the index', async () => {
    for (const [aggregate, order] of [
      [smallest, 'ASC'],
      [smallest.replace('min', 'max'), 'DESC'],
    ]) {
      const nodes = await planOf(queryOf(database), `SELECT ${aggregate}(id) FROM ${table}`)
      expect(nodes.map((node) => node['Index Name'])).toContain(`${table}_pkey`)
      const sql = `SELECT (SELECT ${aggregate}(id) FROM ${table}) = (SELECT id FROM ${table} ORDER BY id ${order} LIMIT 1) AS same`
      expect(await database.query(sql)).toEqual([{ same: true }])
    }
  })

  test('*_time works in a generated column and in an index', async () => {
    const made = `${table}_made`
    const time = `snoflax.${name}_time(id)`
    await database.query(
      `CREATE TABLE ${made} (id ${type} PRIMARY KEY, at timestamptz GENERATED ALWAYS AS (${time}) STORED);
       INSERT INTO ${made} SELECT id FROM ${table};
       CREATE INDEX ${made}_time ON ${made} (${time})`,
    )
    // These run under a search_path without any schema of users.
    await database.query(`ANALYZE ${made}`)
    await database.query(`REINDEX TABLE ${made}`)
    await database.query(`VACUUM (FULL, ANALYZE) ${made}`)
    await database.query(`CLUSTER ${made} USING ${made}_time`)
    const between = (what: string) => `SELECT id FROM ${made} WHERE ${what} >= ${FROM} AND ${what} < ${UNTIL}`
    const nodes = await planOf(queryOf(database), between(time))
    expect(nodes.map((node) => node['Index Name'])).toContain(`${made}_time`)
    expect(await database.query(between(time))).toHaveLength(28 * 24)
    expect(await database.query(between('at'))).toHaveLength(28 * 24)
  })
})

test('a column of the domain is read as uuid8', async () => {
  const count = async (table: string) =>
    (
      await database.query(
        `SELECT count(*)::integer AS all FROM ${table} WHERE snoflax.flax_between(id, ${FROM}, ${UNTIL})`,
      )
    )[0]?.['all']
  await database.query('CREATE TABLE domain8 AS SELECT id::snoflax.flax_uuid8 FROM flax_uuid8')
  await database.query('CREATE INDEX domain8_id ON domain8 (id); ANALYZE domain8')
  expect(await count('domain8')).toBe(28 * 24)
  const sql = `SELECT id FROM domain8 WHERE snoflax.flax_between(id, ${FROM}, ${UNTIL})`
  expect((await planOf(queryOf(database), sql)).map((node) => node['Index Name'])).toContain('domain8_id')
})

test('text with another collation returns the same rows', async () => {
  await database.query('CREATE TABLE collated (id text COLLATE "und-x-icu" PRIMARY KEY)')
  await database.query('INSERT INTO collated SELECT id FROM flax_text')
  const sql = (table: string) =>
    `SELECT id COLLATE "C" AS id FROM ${table} WHERE snoflax.flax_between(id, ${FROM}, ${UNTIL}) ORDER BY 1`
  expect(await database.query(sql('collated'))).toEqual(await database.query(sql('flax_text')))
})

test('a time from a subquery can be a bound of the range', async () => {
  const sql = `SELECT * FROM flax_uuid WHERE snoflax.flax_between(id, (SELECT ${FROM}), (SELECT ${UNTIL}))`
  const nodes = await planOf(queryOf(database), sql)
  expect(nodes.map((node) => node['Index Name'])).toContain('flax_uuid_pkey')
  expect(await database.query(sql)).toHaveLength(28 * 24)
})

test('a bound that is not IMMUTABLE would scan the whole table', async () => {
  await database.query(
    `CREATE FUNCTION volatile_bound(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE
     AS 'SELECT snoflax.flax_lower_bound_uuid(at) WHERE random() >= 0'`,
  )
  const nodes = await planOf(queryOf(database), `SELECT * FROM flax_uuid WHERE id >= volatile_bound(${FROM})`)
  expect(nodes.map((node) => node['Node Type'])).toEqual(['Seq Scan'])
  expect(scanned(nodes)).toEqual(['flax_uuid'])
})
