import { randomUUID } from 'node:crypto'
import { flax } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/pg-core'
import { eq, getTableName, inArray } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { integer, type PgColumnBuilderBase, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { besidePlainKeys } from '../ratios.js'
import type { Section } from '../report.js'
import type { Timing } from '../timing.js'
import { raceTurns, timed } from '../turns.js'
import type { Place } from './contest.js'

const ROWS = 10_000

/** Our keys, and the plain ones that they are compared with. */
const CONTESTANTS = {
  'flax as uuid': () => flaxId({ storage: 'uuid' }),
  'flax as text': () => flaxId(),
  uuid: () => uuid().$defaultFn(randomUUID),
  text: () => text().$defaultFn(flax.generate),
} as const
type Contestant = keyof typeof CONTESTANTS

const PAIRS = [
  ['flax as uuid', 'uuid', [1.15, undefined, undefined]],
  ['flax as text', 'text', [1.05, undefined, undefined]],
] as const

interface Stock {
  readonly db: NodePgDatabase
  readonly orders: ReturnType<typeof tableOf>
  readonly ids: readonly string[]
}

const QUERIES: Readonly<Record<string, (stock: Stock) => Promise<unknown>>> = {
  'select, 10,000 rows with two ids': ({ db, orders }) => db.select().from(orders),
  'select by id, 50 times': async ({ db, orders, ids }) => {
    for (const id of ids.slice(0, 50)) await db.select().from(orders).where(eq(orders.id, id))
  },
  'select of 3,000 ids': ({ db, orders, ids }) =>
    db
      .select()
      .from(orders)
      .where(inArray(orders.id, ids.slice(0, 3_000))),
}

const tableOf = (key: Contestant) => {
  const id = CONTESTANTS[key] as () => PgColumnBuilderBase
  return pgTable(`drizzle_query_${key.replaceAll(' ', '_')}`, {
    id: id() as ReturnType<typeof text>,
    customerId: id() as ReturnType<typeof text>,
    note: text().notNull(),
    total: integer().notNull(),
  })
}

/** The cost of ids for reads. */
export const drizzleQueries: Section<Place> = {
  name: 'drizzle-queries',
  run: async (place) => {
    const timings = await race(place)
    const pairs = Object.entries(timings).flatMap(([query, of], at) =>
      PAIRS.map(([key, plain, aims]) => ({
        name: `${query}, ${key}`,
        ours: of[key],
        plain: of[plain],
        aim: aims[at],
      })),
    )
    return {
      title: 'Drizzle: queries, PostgreSQL',
      about:
        'Tables with an id, the id of another row, a text and a number, beside plain keys of the same type.',
      ...besidePlainKeys(pairs),
    }
  },
}

async function race({ postgres: { url } }: Place): Promise<Record<string, Record<Contestant, Timing>>> {
  const client = new pg.Pool({ connectionString: url })
  const db = drizzle({ client })
  try {
    const stocks: [Contestant, Stock][] = []
    for (const key of Object.keys(CONTESTANTS) as Contestant[]) stocks.push([key, await stockOf(db, key)])
    const timings: Record<string, Record<Contestant, Timing>> = {}
    for (const [name, query] of Object.entries(QUERIES)) {
      const turns = stocks.map(([key, stock]) => [key, timed(() => query(stock))])
      timings[name] = await raceTurns(Object.fromEntries(turns), { rounds: 40, warmUps: 8 })
    }
    return timings
  } finally {
    await client.end()
  }
}

async function stockOf(db: NodePgDatabase, key: Contestant): Promise<Stock> {
  const orders = tableOf(key)
  const type = orders.id.getSQLType()
  const columns = `id ${type} PRIMARY KEY, "customerId" ${type}, note text, total integer`
  await db.execute(`CREATE TABLE ${getTableName(orders)} (${columns})`)
  for (let from = 0; from < ROWS; from += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, at) => ({ note: `order ${from + at}`, total: from + at }))
    await db.insert(orders).values(rows as never)
  }
  await db.execute('ANALYZE')
  const rows = await db.select({ id: orders.id }).from(orders)
  return { db, orders, ids: rows.map(({ id }) => String(id)) }
}
