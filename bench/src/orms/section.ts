import type { Report, Row as ReportRow, Section } from '../report.js'
import type { Timing } from '../timing.js'
import { raceTurns, timed } from '../turns.js'
import {
  countRows,
  createTables,
  type Database,
  emptyTables,
  KEYS,
  type Model,
  type Orm,
  type Place,
  type Row,
} from './contest.js'

const DATABASES: Readonly<Record<Database, string>> = {
  postgres: 'a plain text key, PostgreSQL',
  sqlite: 'a plain text key, SQLite',
}

/** The work of a turn, with its number of rows. */
interface Load {
  readonly name: string
  readonly title: string
  readonly rows: number
  readonly rounds: number
  readonly aim?: number
  run(model: Model, rows: readonly Row[]): Promise<unknown>
}

const BULK: Load = {
  name: 'bulk',
  title: '100,000 rows in bulk',
  rows: 100_000,
  rounds: 5,
  aim: 1.15,
  run: (model, rows) => model.insertMany(rows),
}

const SINGLE: Load = {
  name: 'single',
  title: '10,000 rows one by one',
  rows: 10_000,
  rounds: 4,
  run: async (model, rows) => {
    for (const row of rows) await model.insertOne(row)
  },
}

/** An ORM's two sections. */
export function sectionsOf(
  name: string,
  about: string,
  open: (place: Place) => Promise<Orm>,
): Section<Place>[] {
  return [BULK, SINGLE].map((load) => ({
    name: `${name.toLowerCase()}-${load.name}`,
    run: async (place) => {
      await createTables(place)
      const orm = await open(place)
      try {
        const timings = {
          postgres: await race(place, orm, 'postgres', load),
          sqlite: await race(place, orm, 'sqlite', load),
        }
        return report(`${name}: ${load.title}`, about, load, timings)
      } finally {
        await orm.close()
      }
    },
  }))
}

async function race(place: Place, orm: Orm, database: Database, load: Load): Promise<Record<string, Timing>> {
  const rows = Array.from({ length: load.rows }, (_, i): Row => ({ name: `row ${i}`, total: i }))
  const turns = KEYS.map((key) => [
    key,
    async () => {
      const ns = await timed(() => load.run(orm.models[database][key], rows))()
      const count = await countRows(place, database, key)
      if (count !== rows.length) throw new Error(`${database}, ${key}: ${count} rows`)
      await emptyTables(place)
      return ns
    },
  ])
  await emptyTables(place)
  return raceTurns(Object.fromEntries(turns), { rounds: load.rounds, warmUps: 1 })
}

function report(
  title: string,
  about: string,
  load: Load,
  timings: Readonly<Record<Database, Record<string, Timing>>>,
): Report {
  const databases = Object.keys(DATABASES) as Database[]
  const aims = load.aim === undefined ? {} : { flax: load.aim, sno: load.aim }
  return {
    title,
    about,
    columns: databases.map((database) => ({ title: DATABASES[database], aims })),
    rows: KEYS.map((key): ReportRow => {
      const of = (database: Database) => timings[database][key] as Timing
      return {
        name: key,
        ratios: databases.map(
          (database) => of(database).stepNs / (timings[database]['plain'] as Timing).stepNs,
        ),
        spread: Math.max(...databases.map((database) => of(database).spread)),
      }
    }),
  }
}
