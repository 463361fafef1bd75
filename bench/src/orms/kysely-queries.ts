import { randomUUID } from 'node:crypto'
import { flax, storageFor } from '@snoflax/core'
import { flaxId, idPlugin } from '@snoflax/kysely'
import { Kysely, type KyselyPlugin, PostgresDialect, sql } from 'kysely'
import { besidePlainKeys, type Pair } from '../ratios.js'
import type { Section } from '../report.js'
import { raceTurns, timedByCpu } from '../turns.js'
import type { Place } from './contest.js'

const ROWS = 10_000
const CUSTOMERS = 500

interface Tables {
  orders: { id: string; total: number; customer_id: string }
  customers: { id: string; name: string }
}

interface Stock {
  readonly db: Kysely<Tables>
  readonly ids: readonly string[]
}

/** The queries, with the ratios to stay under: of text ids, and of compact ones. */
const QUERIES: readonly (readonly [
  name: string,
  text: number | undefined,
  compact: number | undefined,
  run: (stock: Stock) => Promise<unknown>,
])[] = [
  [
    'one row by key, 50 times',
    1.05,
    undefined,
    async ({ db, ids }) => {
      for (const id of ids.slice(0, 50))
        await db.selectFrom('orders').selectAll().where('id', '=', id).execute()
    },
  ],
  ['10,000 rows with two ids', 1.05, 1.2, ({ db }) => db.selectFrom('orders').selectAll().execute()],
  [
    '10,000 rows joined, four ids',
    1.05,
    1.25,
    ({ db }) =>
      db
        .selectFrom('orders as o')
        .innerJoin('customers as c', 'c.id', 'o.customer_id')
        .select(['o.id', 'o.customer_id', 'o.total', 'c.id as customer', 'c.name'])
        .execute(),
  ],
  ['10,000 rows without ids', 1.05, 1.1, ({ db }) => db.selectFrom('orders').select('total').execute()],
  [
    'sql.join of 2,000 numbers',
    1.05,
    1.2,
    ({ db }) => {
      const totals = sql.join(Array.from({ length: 2_000 }, (_, at) => ROWS + at))
      return db.selectFrom('orders').select('total').where(sql<boolean>`total in (${totals})`).execute()
    },
  ],
  [
    'sql.join of 10,000 ids',
    undefined,
    3,
    ({ db, ids }) =>
      db
        .selectFrom('orders')
        .select('total')
        .where(sql<boolean>`id in (${sql.join(ids)})`)
        .execute(),
  ],
]

const PASSING: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => result,
}

/** The cost of ids for queries. */
export const kyselyQueries: Section<Place> = {
  name: 'kysely-queries',
  run: async ({ postgres }) => {
    const stocks = {
      text: await stockOf(postgres, 'text'),
      compact: await stockOf(postgres, 'uuid'),
      'plain text': await stockOf(postgres, 'plain_text'),
      'plain uuid': await stockOf(postgres, 'plain_uuid'),
    }
    const pairs: Pair[] = []
    for (const [query, textAim, compactAim, run] of QUERIES) {
      const turns = Object.entries(stocks).map(([key, stock]) => [key, timedByCpu(() => run(stock))])
      // Small statements are fast only after thousands of them.
      const timings = await raceTurns<keyof typeof stocks>(Object.fromEntries(turns), {
        rounds: 60,
        warmUps: 60,
      })
      pairs.push(
        {
          name: `${query}, flax as text`,
          ours: timings.text,
          plain: timings['plain text'],
          aim: textAim,
        },
        {
          name: `${query}, flax as uuid`,
          ours: timings.compact,
          plain: timings['plain uuid'],
          aim: compactAim,
        },
      )
    }
    return {
      title: 'Kysely: queries, PostgreSQL',
      about:
        'The same tables, with our plugin and, for plain keys of the same type, with one that returns its node. The time is the CPU of the client.',
      ...besidePlainKeys(pairs),
    }
  },
}

async function stockOf(
  { pool, query }: Place['postgres'],
  key: 'text' | 'uuid' | 'plain_text' | 'plain_uuid',
): Promise<Stock> {
  const isUuid = key.endsWith('uuid')
  const type = isUuid ? 'uuid' : 'text COLLATE "C"'
  const schema = `kysely_${key}`
  for (const text of [
    `DROP SCHEMA IF EXISTS ${schema} CASCADE`,
    `CREATE SCHEMA ${schema}`,
    `CREATE TABLE ${schema}.customers (id ${type} PRIMARY KEY, name text NOT NULL)`,
    `CREATE TABLE ${schema}.orders (id ${type} PRIMARY KEY, total integer NOT NULL,
       customer_id ${type} NOT NULL REFERENCES ${schema}.customers)`,
  ])
    await query(text)
  const storage = isUuid ? 'uuid' : 'text'
  const { toDatabase } = storageFor(flax, 'postgres', { storage })
  const made = (count: number): string[] =>
    Array.from({ length: count }, () => (key === 'plain_uuid' ? randomUUID() : flax.generate()))
  const stored = (ids: readonly string[]) => (key === 'plain_uuid' ? ids : ids.map((id) => toDatabase(id)))
  const [customers, ids] = [made(CUSTOMERS), made(ROWS)]
  await query(`INSERT INTO ${schema}.customers SELECT id, 'customer' FROM unnest($1::${storage}[]) AS id`, [
    stored(customers),
  ])
  await query(
    `INSERT INTO ${schema}.orders SELECT id, 1, c FROM unnest($1::${storage}[], $2::${storage}[]) AS o (id, c)`,
    [stored(ids), stored(ids.map((_, at) => customers[at % CUSTOMERS] as string))],
  )
  await query('ANALYZE')
  const plugin = () =>
    idPlugin({
      database: 'postgres',
      tables: {
        customers: { id: flaxId({ storage }) },
        orders: { id: flaxId({ storage }), customer_id: flaxId.ref('customers.id') },
      },
    })
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [key.startsWith('plain') ? PASSING : plugin()],
  }).withSchema(schema)
  return { db, ids }
}
