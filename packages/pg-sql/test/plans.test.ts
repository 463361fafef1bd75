import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES, suffix, TYPES } from './families.js'
import { openPostgres } from './installed.js'
import { planOf, queryOf, scanned } from './plans.js'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

const columns = FAMILIES.flatMap(({ name, family }) =>
  family.storages.map((storage) => ({
    name,
    storage,
    exact: family.exactRange,
    type: TYPES[storage] + (storage === 'text' ? ' COLLATE "C"' : ''),
    lower: `snoflax.${name}_lower_bound${suffix(storage)}`,
    upper: `snoflax.${name}_${family.exactRange ? 'lower' : 'upper'}_bound${suffix(storage)}`,
    label: `${name} in ${storage}`,
  })),
)

const FROM = "timestamptz '2026-02-01Z'"
const UNTIL = "timestamptz '2026-03-01Z'"

describe.each(columns)('$label', ({ name, storage, exact, type, lower, upper }) => {
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

  test('a range of time scans that range of the index', async () => {
    const sql = `SELECT * FROM ${table} WHERE ${range(FROM, UNTIL)}`
    const nodes = await planOf(queryOf(database), sql)
    const scan = nodes.find((node) => node['Index Name'] === `${table}_pkey`)
    expect(scan?.['Index Cond']).toMatch(/id >= .* AND .*id < /)
    const { rowCount } = await database.pool.query(sql)
    expect(rowCount).toBe(28 * 24)
  })

  test('so it does for parameters, in a generic plan', async () => {
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

  const smallest = type === 'uuid' || type === 'bytea' ? 'snoflax.min' : 'min'
  test('the smallest and the largest id come from the index', async () => {
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

  test('*_time in a generated column and in an index, also when maintained', async () => {
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

test('a bound that is not IMMUTABLE would scan it all', async () => {
  await database.query(
    `CREATE FUNCTION volatile_bound(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE
     AS 'SELECT snoflax.flax_lower_bound_uuid(at) WHERE random() >= 0'`,
  )
  const nodes = await planOf(queryOf(database), `SELECT * FROM flax_uuid WHERE id >= volatile_bound(${FROM})`)
  expect(nodes.map((node) => node['Node Type'])).toEqual(['Seq Scan'])
  expect(scanned(nodes)).toEqual(['flax_uuid'])
})
