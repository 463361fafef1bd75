import { fieldBits, type IdStorage } from '@snoflax/core'
import { type Check, difference } from './checks.js'
import { databaseGenerators, SqlFunctions } from './database-ids.js'
import type { Engine } from './engine.js'
import type { KeyedQuake } from './quake-table.js'
import type { Stopwatch } from './stopwatch.js'
import type { KeyedFamily, Survey } from './survey.js'

/** Whether the database and TypeScript are of one mind about the ids of one family in one storage. */
export interface Agreement {
  readonly storage: IdStorage<string>
  /** Table whose ids the database made. */
  readonly table: string
  /** What the id column has as its default. */
  readonly generate: string
  /** In order: of ids made by the database, its functions on them, bounds, and the ids of quakes. */
  readonly checks: readonly Check[]
}

/** Rows that are written without ids. */
const ROWS = 100
/** The server's generators may be a little ahead of its clock, which is also this process's. */
const LEEWAY_MS = 1000

/** Asks about every surveyed table whose ids a database that has the functions installed can generate. */
export async function agreeAll(
  engine: Engine,
  surveys: readonly Pick<Survey, 'table'>[],
  families: readonly KeyedFamily[],
  moments: readonly number[],
  watch: Stopwatch,
  progress: (done: number, total: number, what: string) => void,
): Promise<Agreement[]> {
  for (const { setUp } of databaseGenerators) if (setUp !== undefined) await engine.run(setUp)
  const agreements: Agreement[] = []
  const generated = surveys.filter(({ table }) =>
    databaseGenerators.some(({ family }) => family.name === table.storage.family.name),
  )
  for (const survey of generated) {
    const { family, name } = survey.table.storage
    progress(agreements.length, generated.length, `both sides, ${family.name} as ${name}`)
    const rows = families.find(({ ids }) => ids.family === family)?.rows ?? []
    agreements.push(
      await watch.measure(`${engine.name}: generate and check ids`, () =>
        agree(engine, survey, rows, moments),
      ),
    )
  }
  return agreements
}

/** Has the database make ids in a table of its own, and looks at them and at a survey's from both sides. */
export async function agree(
  engine: Engine,
  { table: quakeTable }: Pick<Survey, 'table'>,
  rows: readonly KeyedQuake[],
  moments: readonly number[],
): Promise<Agreement> {
  const { storage } = quakeTable
  const sql = new SqlFunctions(storage)
  const table = `made_${storage.family.name}_${storage.name}`.toLowerCase()
  await engine.run(
    `CREATE TABLE ${table} (
      id ${storage.column.sql} NOT NULL PRIMARY KEY DEFAULT ${sql.generate},
      number integer NOT NULL
    )`,
  )
  const startMs = Date.now()
  await engine.run(`INSERT INTO ${table} (number) SELECT generate_series(1, ${ROWS})`)
  const endMs = Date.now()
  const made = await engine.query(
    `SELECT id, ${sql.encode('id')}, ${sql.timeMs('id')} FROM ${table} ORDER BY number`,
  )
  const ids = made.map(([id]) => storage.fromDatabase(id))
  return {
    storage,
    table,
    generate: sql.generate,
    checks: [
      checkMade(storage, ids, startMs, endMs),
      {
        what: 'SQL encodes the ids that it made',
        failure: inOrder(
          ids,
          made.map(([, text]) => String(text)),
        ),
      },
      {
        what: 'SQL tells the time of the ids that it made',
        failure: inOrder(
          ids.map((id) => String(storage.family.timeMs(id))),
          made.map(([, , timeMs]) => String(timeMs)),
        ),
      },
      await checkBounds(engine, storage, sql, moments),
      await checkQuakes(engine, storage, sql, quakeTable.name, rows),
    ],
  }
}

/** As many ids as rows, all different, of the moment, with the number that was set for this database. */
function checkMade(
  { family }: IdStorage<string>,
  ids: readonly string[],
  startMs: number,
  endMs: number,
): Check {
  const generator = databaseGenerators.find((one) => one.family.name === family.name)
  const strange = ids.find((id) => {
    const timeMs = family.timeMs(id)
    const fields = new Map(fieldBits(family, id).map(({ name, value }) => [name, Number(value)]))
    return (
      timeMs < startMs - LEEWAY_MS ||
      timeMs > endMs + LEEWAY_MS ||
      Object.entries(generator?.carries ?? {}).some(([name, value]) => fields.get(name) !== value)
    )
  })
  const different = new Set(ids).size
  return {
    what: 'ids by column default',
    failure:
      different !== ROWS
        ? `${different} different ids in ${ROWS} rows`
        : strange && `${strange} is not of this moment and this database`,
  }
}

async function checkBounds(
  engine: Engine,
  storage: IdStorage<string>,
  sql: SqlFunctions,
  moments: readonly number[],
): Promise<Check> {
  const { family } = storage
  const bounds = await engine.query(
    `SELECT ${sql.lowerBound('at')}, ${sql.upperBound('at')}
       FROM unnest($1::timestamptz[]) WITH ORDINALITY AS moments (at, number) ORDER BY number`,
    [moments.map((timeMs) => new Date(timeMs).toISOString())],
  )
  return {
    what: 'bounds',
    failure: inOrder(
      moments.flatMap((timeMs) => [family.lowerBound(timeMs), family.upperBound(timeMs)]),
      bounds.flat().map((bound) => storage.fromDatabase(bound)),
    ),
  }
}

/** The ids that TypeScript made: SQL has the same text and time for each, and the same key for its text. */
async function checkQuakes(
  engine: Engine,
  { family }: IdStorage<string>,
  sql: SqlFunctions,
  quakeTable: string,
  rows: readonly KeyedQuake[],
): Promise<Check> {
  const found = await engine.query(
    `SELECT code, ${sql.encode('id')}, ${sql.timeMs('id')}, id = ${sql.fromText('text')}
       FROM ${quakeTable} JOIN unnest($1::text[], $2::text[]) AS written (code, text) USING (code)`,
    [rows.map(({ quake }) => quake.code), rows.map(({ id }) => id)],
  )
  return {
    what: 'the ids of all quakes',
    failure: difference(
      rows.map(({ id, quake }) => `${quake.code} ${id} ${family.timeMs(id)} true`).sort(),
      found.map((row) => row.join(' ')).sort(),
    ),
  }
}

/** How two lists differ, place by place; undefined if they don't. */
function inOrder(typescript: readonly string[], sql: readonly string[]): string | undefined {
  const at = typescript.findIndex((value, index) => value !== sql[index])
  if (at >= 0) return `number ${at + 1} is ${sql[at]} in SQL and ${typescript[at]} in TypeScript`
  return sql.length === typescript.length ? undefined : `${sql.length} instead of ${typescript.length}`
}
