import { readFileSync, writeFileSync } from 'node:fs'
import { sno, storageFor } from '@snoflax/core'
import { mysql, type PgliteDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type KilledTable, killed, STEPS, tablesOf } from './killing.js'
import { type Opened, plan, shapeOf } from './moves.js'
import { CHINOOK, NORTHWIND, PAGILA, SAKILA, type WellKnown, wellKnownSql } from './well-known.js'

/** How many kills a step has. `npm run test:adoption` has more, more rows, and writes the table. */
const KILLS = Number(process.env['SNOFLAX_KILLS'] ?? 3)
const ROWS = Number(process.env['SNOFLAX_ROWS'] ?? 40)

let database: Exclude<Opened, PgliteDatabase>
afterEach(() => database.close())

/** Columns of views that are the same afterwards: sums and names. A key has another value. */
const VIEWS = {
  postgres: `SELECT c.oid::regclass::text AS "view", attname::text AS "column" FROM pg_class AS c JOIN pg_attribute ON attrelid = c.oid
    WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace AND attnum > 0
      AND atttypid IN ('text'::regtype, 'numeric'::regtype, 'bigint'::regtype) AND attcollation <> '"C"'::regcollation`,
  mysql: `SELECT table_name AS "view", column_name AS "column" FROM information_schema.columns NATURAL JOIN information_schema.views
    WHERE table_schema = database() AND data_type IN ('text', 'bigint')`,
  sqlite: `SELECT v.name AS "view", c.name AS "column" FROM sqlite_schema AS v JOIN pragma_table_info(v.name) AS c
    WHERE v.type = 'view' AND lower(c.type) IN ('text', '') AND c.name NOT IN ('id', 'fid', 'sid', 'order_id')`,
}

/** Every row with the rows that its foreign keys lead to, and what every view shows: the same before and after. */
async function contents({ tables }: WellKnown): Promise<Record<string, unknown>> {
  const picture: Record<string, unknown> = {}
  const rowsOf = async (sql: string) => (await database.query(sql)).map((row) => JSON.stringify(row)).sort()
  for (const { name, references, isJunction } of tables) {
    const joins = Object.entries(references).map(([own, target], i) => {
      const key = tables.find((one) => one.name === target.replace('!', ''))?.key
      return {
        sql: `LEFT JOIN ${target.replace('!', '')} AS r${i} ON r${i}.${key} = t.${own}`,
        name: `r${i}.name AS n${i}`,
      }
    })
    const own = isJunction ? [] : ['t.name']
    picture[name] = await rowsOf(
      `SELECT ${[...own, ...joins.map((one) => one.name)].join(', ')} FROM ${name} AS t ${joins.map(({ sql }) => sql).join(' ')}`,
    )
  }
  const columns = await database.query(VIEWS[database.kind])
  for (const view of new Set(columns.map((one) => one['view']))) {
    const shown = columns.filter((one) => one['view'] === view).map((one) => one['column'])
    picture[String(view)] = await rowsOf(`SELECT ${shown.join(', ')} FROM ${view}`)
  }
  return picture
}

/** Of each schema, by database. */
const results = new Map<string, string[]>()
afterAll(() => {
  if (process.env['SNOFLAX_KILLS'] === undefined) return
  const page = new URL('../../../docs/adopting.txt', import.meta.url)
  const text = readFileSync(page, 'utf8')
  const list = [...results].map(([of, schemas]) => `${of}: ${schemas.join(', ')}`).join('\n')
  writeFileSync(page, text.replace(/(<!-- kills -->\n)[\s\S]*?(<!-- \/kills -->)/, `$1${list}\n$2`))
})

const CASES = [
  ...[CHINOOK, NORTHWIND, PAGILA].map((schema) => ({ schema, server: postgres, of: 'PostgreSQL' })),
  ...[CHINOOK, NORTHWIND, SAKILA].map((schema) => ({ schema, server: mysql, of: 'MariaDB' })),
  ...[CHINOOK, NORTHWIND, SAKILA].map((schema) => ({ schema, server: sqlite, of: 'SQLite' })),
].filter(({ server }) => server !== mysql || mysql.selected())

test.each(CASES)(
  '$schema.name on $of, killed in every step, loses nothing',
  async ({ schema, server, of }) => {
    database = await server.open()
    for (const sql of wellKnownSql(schema, ROWS, database.kind)) await database.query(sql)
    const tables: KilledTable[] = schema.tables.flatMap(({ name, key, time }, i) => {
      if (key === undefined) return []
      const span = { from: new Date('2021-01-01'), to: new Date('2022-01-01') }
      return [{ table: name, createdAt: time ?? span, partition: 900 + i }]
    })
    const given = tables.map((one) => ({
      ...one,
      createdAt:
        typeof one.createdAt === 'string'
          ? one.createdAt
          : { from: Date.UTC(2021, 0), to: Date.UTC(2022, 0) },
    })) as unknown as KilledTable[]
    const [before, shape] = [await contents(schema), await shapeOf(database)]
    let rows = 0
    for (const { name } of schema.tables) {
      const [counted] = await database.query(`SELECT count(*) AS n FROM ${name}`)
      expect(Number(counted?.['n'])).toBe(ROWS)
      rows += ROWS
    }

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
    for (const { name, key } of schema.tables) {
      if (key === undefined) continue
      const stored = await database.query(`SELECT ${key} AS id FROM ${name}`)
      const storage = storageFor(sno, database.kind === 'mysql' ? 'mariadb' : database.kind)
      for (const { id } of stored) sno.parse(storage.fromDatabase(id))
    }
    const told = `${schema.name} (${rows} rows, ${kills} kills, 0 lost)`
    results.set(of, [...(results.get(of) ?? []), told])
  },
)
