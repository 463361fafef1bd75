import { readFileSync, writeFileSync } from 'node:fs'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type KilledTable, killed, STEPS, tablesOf } from './killing.js'
import { plan, shapeOf } from './moves.js'
import { CHINOOK, NORTHWIND, PAGILA, type WellKnown, wellKnownSql } from './well-known.js'

/** How many kills a step has. `npm run test:adoption` has more, more rows, and writes the table. */
const KILLS = Number(process.env['SNOFLAX_KILLS'] ?? 1)
const ROWS = Number(process.env['SNOFLAX_ROWS'] ?? 40)

let database: PostgresDatabase
afterEach(() => database.close())

/** Every row with the rows that its foreign keys lead to, and what every view shows: the same before and after. */
async function contents({ tables }: WellKnown): Promise<Record<string, unknown>> {
  const picture: Record<string, unknown> = {}
  const rowsOf = async (sql: string) => (await database.query(sql)).map((row) => JSON.stringify(row)).sort()
  for (const { name, references } of tables) {
    const joins = Object.entries(references).map(([own, target], i) => {
      const key = tables.find((one) => one.name === target.replace('!', ''))?.key
      return {
        sql: `LEFT JOIN ${target.replace('!', '')} AS r${i} ON r${i}.${key} = t.${own}`,
        name: `r${i}.name AS n${i}`,
      }
    })
    const own = tables.find((one) => one.name === name)?.isJunction ? [] : ['t.name']
    picture[name] = await rowsOf(
      `SELECT ${[...own, ...joins.map((one) => one.name)].join(', ')} FROM ${name} AS t ${joins.map(({ sql }) => sql).join(' ')}`,
    )
  }
  const views = await database.query(
    `SELECT c.oid::regclass::text AS view, array_agg(attname::text ORDER BY attnum) AS columns FROM pg_class AS c JOIN pg_attribute ON attrelid = c.oid
      WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace AND attnum > 0 AND atttypid IN ('text'::regtype, 'numeric'::regtype, 'bigint'::regtype)
      GROUP BY c.oid ORDER BY 1`,
  )
  for (const { view, columns } of views) {
    // Sums and names; a key's own column has another value afterwards.
    picture[view as string] = await rowsOf(`SELECT ${(columns as string[]).join(', ')} FROM ${view}`)
  }
  return picture
}

const results: string[] = []
afterAll(() => {
  if (process.env['SNOFLAX_KILLS'] === undefined) return
  const page = new URL('../../../docs/adopting.md', import.meta.url)
  const text = readFileSync(page, 'utf8')
  const table = ['| schema | rows | kills | lost |', '| --- | --- | --- | --- |', ...results].join('\n')
  writeFileSync(page, text.replace(/(<!-- kills -->\n)[\s\S]*?(<!-- \/kills -->)/, `$1${table}\n$2`))
})

test.each([CHINOOK, NORTHWIND, PAGILA])('$name, killed in every step, loses nothing', async (schema) => {
  database = await postgres.open()
  for (const sql of wellKnownSql(schema, ROWS)) await database.query(sql)
  const tables: KilledTable[] = schema.tables.flatMap(({ name, key, time }, i) => {
    if (key === undefined) return []
    const span = { from: new Date('2021-01-01'), to: new Date('2022-01-01') }
    return [{ table: name, createdAt: time ?? span, partition: 900 + i }]
  })
  const given = tables.map((one) => ({
    ...one,
    createdAt:
      typeof one.createdAt === 'string' ? one.createdAt : { from: Date.UTC(2021, 0), to: Date.UTC(2022, 0) },
  })) as unknown as KilledTable[]
  const [before, shape] = [await contents(schema), await shapeOf(database)]
  const [counted] = await database.query(
    `SELECT sum((xpath('/row/n/text()', query_to_xml('SELECT count(*) AS n FROM ' || c.oid::regclass, false, true, '')))[1]::text::integer)::integer AS n
       FROM pg_class AS c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )

  let kills = 0
  for (const step of STEPS) {
    for (let i = 0; i < KILLS; i++) {
      // Anywhere in the step, each time elsewhere.
      const lines = 2 + ((i * 37 + 11) % (step === 'finish' ? 12 : 90))
      if ((await killed(database, step, given, lines, i % 2 === 1)) === 'through') break
      kills++
      if (step !== 'finish') expect(await contents(schema)).toEqual(before)
    }
    if (
      step === 'backfill' ||
      (await plan(database, tablesOf(tables)).then(
        ({ phase }) => phase,
        () => 'finished',
      )) !== 'finished'
    )
      expect(await killed(database, step, given, Number.POSITIVE_INFINITY)).toBe('through')
    if (step === 'switchKeys') {
      const { faults } = await (await plan(database, tablesOf(tables))).verify()
      expect(faults).toEqual([])
    }
  }
  expect(await contents(schema)).toEqual(before)
  expect(await shapeOf(database)).toEqual(shape)
  const types = await database.query(
    'SELECT DISTINCT atttypid::regtype::text AS type FROM pg_attribute JOIN unnest($1::text[], $2::text[]) AS k (t, c) ON attrelid = t::regclass AND attname = c',
    [tables.map(({ table }) => table), schema.tables.flatMap(({ key }) => key ?? [])],
  )
  expect(types).toEqual([{ type: 'uuid' }])
  results.push(`| ${schema.name} | ${counted?.['n']} | ${kills} | 0 |`)
})
