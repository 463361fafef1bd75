import type { PostgresDatabase } from '@snoflax/test'
import { beforeAll, describe, expect, test } from 'vitest'
import { planOf, queryOf, type Stored } from './plans.js'

export const FROM = "timestamptz '2026-02-27Z'"
export const UNTIL = "timestamptz '2026-03-03Z'"
export const FOUND = 4 * 6

/** Ranges, partitions and indexes of these columns. */
export function testPlans(columns: readonly Stored[], open: () => PostgresDatabase): void {
  describe.each(columns)(
    '$family in $storage',
    ({ table, family, storage, type, time, lower, range, between }) => {
      const key = (month: string) => `${table}_2026_${month}_pkey`
      const prefix = { prefixed: "'cus'", text: "''" }[storage as string] ?? 'NULL'

      let database: PostgresDatabase
      beforeAll(async () => {
        database = open()
        await database.query(`CREATE TABLE ${table} (id ${type} PRIMARY KEY) PARTITION BY RANGE (id)`)
        const statements = await database.query(
          `SELECT snoflax.partition_ddl('${table}', '${family}', '${storage === 'prefixed' ? 'text' : storage}',
           '2026-01-01Z', '2027-01-01Z', '1 month', prefix => ${prefix}) AS ddl`,
        )
        for (const { ddl } of statements) await database.query(String(ddl))
        // An id each four hours of a year.
        await database.query(`INSERT INTO ${table} SELECT ${lower('at')}
      FROM generate_series(timestamptz '2026-01-01Z', '2026-12-31Z', '4 hours') AS at`)
        await database.query(`ANALYZE ${table}`)
      })

      test('each id is in the partition of its month', async () => {
        const rows = await database.query(`SELECT tableoid::regclass::text AS partition,
      min(${time}) AS first, max(${time}) AS last FROM ${table} GROUP BY 1 ORDER BY 1`)
        expect(rows).toHaveLength(12)
        for (const { partition, first, last } of rows) {
          const months = [first, last].map((at) => (at as Date).toISOString().slice(0, 7).replace('-', '_'))
          expect(months.map((month) => `${table}_${month}`)).toEqual([partition, partition])
        }
      })

      test.each([
        ['lower bounds', range],
        ['*_between', between],
      ])('a range by %s scans that range of the index, and no other partition', async (_, condition) => {
        const client = await database.connect()
        const query = (sql: string) => client.query(sql)
        const select = (from: string, until: string) =>
          `SELECT id FROM ${table} WHERE ${condition(from, until)} ORDER BY id`
        // Whether the index can be used: of so few rows all are read as fast.
        await query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan')
        await query(`PREPARE search (timestamptz, timestamptz) AS ${select('$1', '$2')}`)
        for (const statement of [select(FROM, UNTIL), `EXECUTE search (${FROM}, ${UNTIL})`]) {
          const nodes = await planOf(query, statement)
          const scans = nodes.filter((node) => node['Index Name'])
          expect(scans.map((node) => node['Index Name']).sort()).toEqual([key('02'), key('03')])
          for (const scan of scans) expect(scan['Index Cond']).toMatch(/id >=? .* AND .*id <=? /)
          const removed = nodes.map((node) => node['Subplans Removed'] ?? 0)
          if (statement.startsWith('EXECUTE')) expect(removed).toContain(10)
          expect((await query(statement)).rows).toHaveLength(FOUND)
        }
        await client.end()
      })

      test('*_between accepts ends before and after all ids', async () => {
        const ends = [
          ['-infinity', 'infinity'],
          ['4713-01-01 BC', '200000-01-01'],
          ['200000-01-01', 'infinity'],
          ['-infinity', '1900-01-01'],
          ['2026-03-01Z', '2026-02-01Z'],
        ].map(([from, until]) => between(`'${from}'`, `'${until}'`))
        const counts = ends.map((condition, i) => `count(*) FILTER (WHERE ${condition})::integer AS c${i}`)
        const [row = {}] = await database.query(`SELECT count(*)::integer AS all, ${counts} FROM ${table}`)
        const { all, ...found } = row
        expect(Object.values(found)).toEqual([all, all, 0, 0, 0])
      })

      test('min and max use the index', async () => {
        const smallest = type === 'uuid' || type === 'bytea' ? 'snoflax.min' : 'min'
        for (const [aggregate, order] of [
          [smallest, 'ASC'],
          [smallest.replace('min', 'max'), 'DESC'],
        ]) {
          const nodes = await planOf(queryOf(database), `SELECT ${aggregate}(id) FROM ${table}`)
          expect(nodes.map((node) => node['Index Name'])).toContain(key('05'))
          const sql = `SELECT (SELECT ${aggregate}(id) FROM ${table}) = (SELECT id FROM ${table} ORDER BY id ${order} LIMIT 1) AS same`
          expect(await database.query(sql)).toEqual([{ same: true }])
        }
      })

      test('*_time works in a generated column and in an index', async () => {
        const made = `${table}_made`
        await database.query(
          `CREATE TABLE ${made} (id ${type} PRIMARY KEY, at timestamptz GENERATED ALWAYS AS (${time}) STORED);
       INSERT INTO ${made} SELECT id FROM ${table};
       CREATE INDEX ${made}_time ON ${made} (${time})`,
        )
        // These run under a search_path without any schema of users.
        for (const statement of ['ANALYZE', 'REINDEX TABLE', 'VACUUM (FULL, ANALYZE)'])
          await database.query(`${statement} ${made}`)
        await database.query(`CLUSTER ${made} USING ${made}_time`)
        const within = (what: string) =>
          `SELECT id FROM ${made} WHERE ${what} >= ${FROM} AND ${what} < ${UNTIL}`
        const nodes = await planOf(queryOf(database), within(time))
        expect(nodes.map((node) => node['Index Name'])).toContain(`${made}_time`)
        expect(await database.query(within(time))).toHaveLength(FOUND)
        expect(await database.query(within('at'))).toHaveLength(FOUND)
      })
    },
  )
}
