import { flax } from '@snoflax/core'
import { flaxId, idPlugin } from '@snoflax/kysely'
import { type Compilable, Kysely, PostgresDialect } from 'kysely'
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
  /** An id where the application generates it by hand. */
  newId(): { readonly id: string }
}

const { generate } = flax.generator({ monotonic: true })
const byKey = ({ db }: Stock, id: string) => db.selectFrom('orders').selectAll().where('id', '=', id)
const page = ({ db }: Stock, id: string) =>
  db.selectFrom('orders').selectAll().where('id', '>', id).orderBy('id').limit(20)
const joined = ({ db }: Stock, id: string) =>
  db
    .selectFrom('orders as o')
    .innerJoin('customers as c', 'c.id', 'o.customer_id')
    .select(['o.id', 'o.customer_id', 'o.total', 'c.id as customer', 'c.name'])
    .where('c.id', '>=', id)
const changed = ({ db }: Stock, id: string) =>
  db.updateTable('orders').set({ customer_id: id, total: 2 }).where('id', '=', id)
const one = ({ db, newId }: Stock, customer_id: string) =>
  db.insertInto('orders').values({ ...newId(), total: 1, customer_id })
const hundred = ({ db, newId }: Stock, customer_id: string) =>
  db.insertInto('orders').values(Array.from({ length: 100 }, () => ({ ...newId(), total: 1, customer_id })))
const withoutIds = ({ db }: Stock) => db.selectFrom('orders').select('total').where('total', '=', 2).limit(5)

type Build = (stock: Stock, id: string) => Compilable & { execute(): Promise<unknown> }

/** The statements, with the ratios to stay under: to build them, and through the driver. */
const STATEMENTS: readonly (readonly [name: string, built: number, run: number, build: Build])[] = [
  ['one row by key', 1.05, 1.05, byKey],
  ['a page of 20', 1.05, 1.05, page],
  ['a join', 1.05, 1.05, joined],
  ['an update', 1.05, 1.05, changed],
  ['without ids', 1.05, 1.05, withoutIds],
  ['insert of one row', 1.3, 1.15, one],
  ['insert of 100 rows', 1.15, 1.15, hundred],
]

/** The cost of ids for queries. */
export const kyselyQueries: Section<Place> = {
  name: 'kysely-queries',
  run: async ({ postgres }) => {
    const stocks = { ours: await stockOf(postgres, 'ours'), plain: await stockOf(postgres, 'plain') }
    const pairs: Pair[] = []
    const race = async (name: string, aim: number, work: (stock: Stock) => Promise<void>, rounds: number) => {
      const timings = await raceTurns(
        { ours: timedByCpu(() => work(stocks.ours)), plain: timedByCpu(() => work(stocks.plain)) },
        { rounds, warmUps: rounds / 2 },
      )
      pairs.push({ name, aim, ...timings })
    }
    for (const [name, built, run, build] of STATEMENTS) {
      const isLarge = /100|join/.test(name)
      const building = async (stock: Stock) => {
        const [id = ''] = stock.ids
        for (let time = 0; time < (name.includes('100') ? 20 : 500); time++) build(stock, id).compile()
      }
      await race(`build: ${name}`, built, building, 120)
      const running = async (stock: Stock) => {
        for (const id of stock.ids.slice(0, isLarge ? 2 : 30)) await build(stock, id).execute()
      }
      await race(name, run, running, 100)
    }
    return {
      title: 'Kysely: queries, PostgreSQL',
      about:
        'The same tables, with our plugin, and without one and ids made by hand by the same generator. The time is the CPU of the client.',
      ...besidePlainKeys(pairs),
    }
  },
}

async function stockOf({ pool, query }: Place['postgres'], key: 'ours' | 'plain'): Promise<Stock> {
  const schema = `kysely_${key}`
  for (const text of [
    `DROP SCHEMA IF EXISTS ${schema} CASCADE`,
    `CREATE SCHEMA ${schema}`,
    `CREATE TABLE ${schema}.customers (id text COLLATE "C" PRIMARY KEY, name text NOT NULL)`,
    `CREATE TABLE ${schema}.orders (id text COLLATE "C" PRIMARY KEY, total integer NOT NULL, customer_id text NOT NULL)`,
  ])
    await query(text)
  const made = (count: number): string[] => Array.from({ length: count }, () => generate())
  const [customers, ids] = [made(CUSTOMERS), made(ROWS)]
  await query(`INSERT INTO ${schema}.customers SELECT id, 'customer' FROM unnest($1::text[]) AS id`, [
    customers,
  ])
  await query(
    `INSERT INTO ${schema}.orders SELECT id, 1, c FROM unnest($1::text[], $2::text[]) AS o (id, c)`,
    [ids, ids.map((_, at) => customers[at % CUSTOMERS] as string)],
  )
  await query('ANALYZE')
  const plugin = idPlugin({
    database: 'postgres',
    tables: {
      customers: { id: flaxId() },
      orders: { id: flaxId(), customer_id: flaxId.ref('customers.id') },
    },
  })
  const isOurs = key === 'ours'
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: isOurs ? [plugin] : [] })
  return {
    db: db.withSchema(schema),
    ids,
    newId: isOurs ? () => ({}) as { id: string } : () => ({ id: generate() }),
  }
}
