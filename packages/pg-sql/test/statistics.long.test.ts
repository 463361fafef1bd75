import { keyStatistics } from '@snoflax/core/adapter'
import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from './installed.js'
import { planOf, queryOf, STORED } from './plans.js'

const ROWS = 300_000

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

const KEYS = STORED.filter(
  ({ family, storage }) => (family === 'flax' && storage !== 'prefixed') || family === 'uuid7',
)

describe.each(KEYS)('$family in $storage', ({ family, storage, type, range }) => {
  const generated = `snoflax.${family}_generate_at${family === 'uuid7' || storage === 'binary' ? '' : `_${storage}`}(at)`
  const [from, until] = ["'2026-01-20 10:00Z'", "'2026-01-20 11:00Z'"]
  const byKey = (alias: string) => range(from, until).replaceAll(/\bid\b/g, `${alias}.id`)
  const byTime = (alias: string) => `${alias}.created_at >= ${from} AND ${alias}.created_at < ${until}`

  beforeAll(async () => {
    await database.query(`
      DROP TABLE IF EXISTS estimated;
      CREATE TABLE estimated (id ${type} PRIMARY KEY, visitor integer, created_at timestamptz);
      INSERT INTO estimated SELECT ${generated}, n / 3, at
        FROM generate_series(1, ${ROWS}) AS n, LATERAL (SELECT timestamptz '2026-01-01Z' + n * interval '10 seconds') AS t(at);
      CREATE INDEX ON estimated (created_at);
      ANALYZE estimated`)
  }, 120_000)

  test('an hour by key is estimated and joined as an hour by created_at', async () => {
    const query = queryOf(database)
    const hour = `SELECT * FROM estimated a WHERE ${byKey('a')}`
    const { rowCount } = await query(hour)
    expect(rowCount).toBe(360)
    const isEstimated = async () => {
      const [{ 'Plan Rows': rows } = { 'Plan Rows': 0 }] = await planOf(query, hour)
      return rows > 180 && rows < 720
    }
    if (type === 'uuid') {
      // One row, or if a bound of the histogram is in that hour, a hundredth of the table.
      expect(await isEstimated()).toBe(false)
      await query(`ALTER TABLE estimated ${keyStatistics('id')}`)
      await query('ANALYZE estimated')
    }
    expect(await isEstimated()).toBe(true)

    const joins = async (condition: (alias: string) => string) => {
      const nodes = await planOf(
        query,
        `SELECT count(*) FROM estimated a JOIN estimated b ON b.visitor = a.visitor WHERE ${condition('a')} AND ${condition('b')}`,
      )
      return nodes.map((node) => node['Node Type']).filter((kind) => /Join|Nested Loop/.test(kind))
    }
    expect(await joins(byKey)).toEqual(await joins(byTime))
  })
})
