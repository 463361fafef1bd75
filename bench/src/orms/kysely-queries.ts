import { flax } from '@snoflax/core'
import { flaxId, idPlugin } from '@snoflax/kysely'
import { Kysely, type KyselyPlugin, PostgresDialect } from 'kysely'
import { againstYardsticks } from '../ratios.js'
import type { Row, Section } from '../report.js'
import { raceTurns, type Turn, timedByCpu } from '../turns.js'
import type { Place } from './contest.js'

const ROWS = 10_000
const CUSTOMERS = 500
const ONE = 'one row by key, 50 times'
const FLAT = '10,000 rows with two ids'
const JOINED = '10,000 rows joined, four ids'
const NONE = '10,000 rows without ids'

type Reads = Readonly<Record<string, () => Promise<unknown>>>

/** The cost of ids for reads. */
export const kyselyQueries: Section<Place> = {
  name: 'kysely-queries',
  run: async ({ postgres: { pool, query } }) => {
    for (const sql of [
      'DROP TABLE IF EXISTS read_orders, read_customers',
      'CREATE TABLE read_customers (id text COLLATE "C" PRIMARY KEY, name text NOT NULL)',
      `CREATE TABLE read_orders (id text COLLATE "C" PRIMARY KEY, total integer NOT NULL,
         customer_id text COLLATE "C" NOT NULL REFERENCES read_customers)`,
    ])
      await query(sql)
    const customers = Array.from({ length: CUSTOMERS }, () => flax.generate())
    const ids = Array.from({ length: ROWS }, () => flax.generate())
    await query("INSERT INTO read_customers SELECT id, 'customer' FROM unnest($1::text[]) AS id", [customers])
    await query('INSERT INTO read_orders SELECT id, 1, c FROM unnest($1::text[], $2::text[]) AS o (id, c)', [
      ids,
      ids.map((_, at) => customers[at % CUSTOMERS]),
    ])
    await query('ANALYZE')
    const some = ids.slice(0, 50)
    const rows: Row[] = []
    const [ours, plain] = [reads(pool, 'ours', some), reads(pool, 'plain', some)]
    for (const [name, run] of Object.entries(ours)) {
      const turns: Record<string, Turn> = {
        ours: timedByCpu(run),
        plain: timedByCpu(plain[name] as typeof run),
      }
      // Small statements are fast only after thousands of them.
      const table = againstYardsticks(await raceTurns(turns, { rounds: 60, warmUps: 60 }), ['plain'])
      const [{ ratios, spread }] = table.rows as [Row]
      rows.push({ name, ratios, ...(spread !== undefined && { spread }) })
    }
    return {
      title: 'Kysely: queries of text keys, PostgreSQL',
      about:
        'The same tables, with our plugin and with one that returns its node. The time is the CPU of the client.',
      columns: [{ title: 'plain text keys', aims: Object.fromEntries(rows.map(({ name }) => [name, 1.05])) }],
      rows,
    }
  },
}

const PASSING: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => result,
}

function reads(pool: Place['postgres']['pool'], keys: 'ours' | 'plain', some: readonly string[]): Reads {
  const ids = idPlugin({
    database: 'postgres',
    tables: {
      read_customers: { id: flaxId() },
      read_orders: { id: flaxId(), customer_id: flaxId.ref('read_customers.id') },
    },
  })
  interface Tables {
    read_customers: { id: string; name: string }
    read_orders: { id: string; total: number; customer_id: string }
  }
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [keys === 'ours' ? ids : PASSING],
  })
  return {
    [ONE]: async () => {
      for (const key of some) await db.selectFrom('read_orders').selectAll().where('id', '=', key).execute()
    },
    [FLAT]: () => db.selectFrom('read_orders').selectAll().execute(),
    [JOINED]: () =>
      db
        .selectFrom('read_orders as o')
        .innerJoin('read_customers as c', 'c.id', 'o.customer_id')
        .select(['o.id', 'o.customer_id', 'o.total', 'c.id as customer', 'c.name'])
        .execute(),
    [NONE]: () => db.selectFrom('read_orders').select('total').execute(),
  }
}
