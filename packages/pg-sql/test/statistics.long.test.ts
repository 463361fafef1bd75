import { keyStatistics } from '@snoflax/core/adapter'
import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from './installed.js'
import { STORED } from './plans.js'

const ROWS = 300_000
const HOUR = "'2026-01-20 10:00Z', '2026-01-20 11:00Z'"

interface Node {
  'Node Type': string
  'Plan Rows': number
  Plans?: Node[]
}

const nodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)]

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

const planOf = async (query: string): Promise<Node> => {
  const { rows } = await database.pool.query(`EXPLAIN (FORMAT JSON) ${query}`)
  return rows[0]['QUERY PLAN'][0].Plan
}

const KEYS = [
  ...STORED.filter(({ name }) => name === 'flax').map(({ storage, type, lower }) => ({
    name: `flax in ${storage}`,
    type: type.replace(/ PRIMARY KEY$/, ''),
    id: storage === 'binary' ? 'snoflax.flax_generate_at(at)' : `snoflax.flax_generate_at_${storage}(at)`,
    isUuid: storage.startsWith('uuid'),
    range: (id: string) => `${id} >= ${lower}('2026-01-20 10:00Z') AND ${id} < ${lower}('2026-01-20 11:00Z')`,
  })),
  {
    name: 'uuid7',
    type: 'uuid',
    id: 'snoflax.uuid7_generate_at(at)',
    isUuid: true,
    range: (id: string) => `snoflax.uuid7_between(${id}, ${HOUR})`,
  },
]

describe.each(KEYS)('$name', ({ type, id, isUuid, range }) => {
  const byTime = (at: string) => `${at} >= '2026-01-20 10:00Z' AND ${at} < '2026-01-20 11:00Z'`
  const joined = (condition: (alias: string) => string) =>
    `SELECT count(*) FROM estimated a JOIN estimated b ON b.visitor = a.visitor WHERE ${condition('a')} AND ${condition('b')}`

  beforeAll(async () => {
    await database.query(`
      DROP TABLE IF EXISTS estimated;
      CREATE TABLE estimated (id ${type} PRIMARY KEY, visitor integer, created_at timestamptz);
      INSERT INTO estimated SELECT ${id}, n / 3, at
        FROM generate_series(1, ${ROWS}) AS n, LATERAL (SELECT timestamptz '2026-01-01Z' + n * interval '10 seconds') AS t(at);
      CREATE INDEX ON estimated (created_at);
      ANALYZE estimated`)
  }, 120_000)

  test('an hour by key is estimated and joined as an hour by created_at', async () => {
    const [found] = await database.query(
      `SELECT count(*)::integer AS rows FROM estimated WHERE ${range('id')}`,
    )
    const actual = Number(found?.['rows'])
    expect(actual).toBe(360)
    const isEstimated = async () => {
      const { 'Plan Rows': rows } = await planOf(`SELECT * FROM estimated WHERE ${range('id')}`)
      return rows > actual / 2 && rows < actual * 2
    }
    if (isUuid) {
      // One row, or if a bound of the histogram is in that hour, a hundredth of the table.
      expect(await isEstimated()).toBe(false)
      await database.query(`ALTER TABLE estimated ${keyStatistics('id')}`)
      await database.query('ANALYZE estimated')
    }
    expect(await isEstimated()).toBe(true)

    const joins = async (condition: (alias: string) => string) =>
      nodes(await planOf(joined(condition)))
        .map((node) => node['Node Type'])
        .filter((kind) => /Join|Nested Loop/.test(kind))
    expect(await joins((alias) => range(`${alias}.id`))).toEqual(
      await joins((alias) => byTime(`${alias}.created_at`)),
    )
  })
})
