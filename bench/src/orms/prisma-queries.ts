import type { Report, Section } from '../report.js'
import type { Timing } from '../timing.js'
import { raceTurns, timed } from '../turns.js'
import type { Database, Place } from './contest.js'
import { type Client, type Delegate, openClients } from './prisma-clients.js'

/** Two copies of a shop: with our keys and the extended client, and with plain texts of the same length and the other clients. */
const SHOPS = ['flax', 'plain'] as const
type Shop = (typeof SHOPS)[number]

/** The yardstick has an empty extension, since Prisma's code path differs for a client with any extension. */
type Contestant = Shop | 'passing'

const CUSTOMERS = 100
const ORDERS = 20
const LINES = 5
const EVENTS = 10_000

/** The data of a customer, with so many fields that traversing the arguments takes measurable time. */
const graph = (name: string, orders: number, lines: number) => ({
  name,
  orders: {
    create: Array.from({ length: orders }, (_, total) => ({
      total,
      lines: { create: Array.from({ length: lines }, (_, position) => ({ position })) },
    })),
  },
})

/** The models of one shop, and keys of existing rows. */
interface Stock {
  readonly customer: Delegate
  readonly line: Delegate
  readonly event: Delegate
  readonly ids: readonly string[]
}

const ROWS = 'findMany, 10,000 rows with two ids'
const ROWS_WITH_TIME = 'findMany, 10,000 rows with createdAt'

/** Reads come first, since writes enlarge the tables. */
const QUERIES: Readonly<Record<string, (stock: Stock) => Promise<unknown>>> = {
  'findUnique, 50 times': async ({ line, ids }) => {
    for (const id of ids.slice(0, 50)) await line.findUnique({ where: { id } })
  },
  [ROWS]: ({ line }) => line.findMany(),
  [ROWS_WITH_TIME]: ({ event }) => event.findMany(),
  'findMany, 100 rows with 12,000 nested': ({ customer }) =>
    customer.findMany({ include: { orders: { include: { lines: true } } } }),
  'findMany, 500 ids in': ({ line, ids }) => line.findMany({ where: { id: { in: ids.slice(0, 500) } } }),
  'create, 50 times': async ({ customer }) => {
    for (let i = 0; i < 50; i++) await customer.create({ data: { name: `customer ${i}` } })
  },
  'create, 1 row with 220 nested': ({ customer }) => customer.create({ data: graph('wide', 20, 10) }),
}

/** The extension's share of a query, from argument to result. */
export const prismaQueries: Section<Place> = {
  name: 'prisma-queries',
  run: async (place) => {
    const postgres = await race(place, 'postgres')
    const sqlite = await race(place, 'sqlite')
    return {
      title: 'Prisma: queries, with the extension and without',
      about:
        'Our text keys beside `@default(nanoid(16))`, of a plain client and of one whose extension only passes queries on, which makes Prisma slower by itself.',
      columns: ['PostgreSQL', 'SQLite'].flatMap((database) => [
        { title: `a plain client, ${database}`, aims: {} },
        { title: `an empty extension, ${database}`, aims: { [ROWS]: 1.05, [ROWS_WITH_TIME]: 1.1 } },
      ]),
      rows: Object.keys(QUERIES).map((name) => row(name, [postgres, sqlite])),
    }
  },
}

type Timings = Readonly<Record<string, Readonly<Record<Contestant, Timing>>>>

function row(name: string, timings: readonly Timings[]): Report['rows'][number] {
  const pairs = timings.map((one) => one[name] as Readonly<Record<Contestant, Timing>>)
  return {
    name,
    ratios: pairs.flatMap(({ flax, plain, passing }) => [
      flax.stepNs / plain.stepNs,
      flax.stepNs / passing.stepNs,
    ]),
    spread: Math.max(...pairs.flatMap((one) => Object.values(one).map(({ spread }) => spread))),
  }
}

async function race(place: Place, database: Database): Promise<Timings> {
  for (const sql of SHOPS.flatMap((shop) => tablesOf(shop, database))) await place[database].query(sql)
  const clients = await openClients('shop', database, place, SHOPS.map(models).join(''))
  try {
    const plain = await filled(clients.plain, 'plain')
    const stocks: Record<Contestant, Stock> = {
      flax: await filled(clients.extended, 'flax'),
      plain,
      passing: { ...stockOf(clients.passing, 'plain'), ids: plain.ids },
    }
    const timings: Record<string, Record<Contestant, Timing>> = {}
    for (const [name, query] of Object.entries(QUERIES)) {
      const turn = (name: Contestant) => timed(() => query(stocks[name]))
      timings[name] = await raceTurns(
        { flax: turn('flax'), plain: turn('plain'), passing: turn('passing') },
        { rounds: 30, warmUps: 5 },
      )
    }
    return timings
  } finally {
    await clients.close()
  }
}

async function filled(client: Client, shop: Shop): Promise<Stock> {
  const { customer, line, event } = stockOf(client, shop)
  for (let i = 0; i < CUSTOMERS; i++) {
    await customer.create({ data: graph(`customer ${i}`, ORDERS, LINES) })
  }
  const lines = await line.findMany()
  for (let i = 0; i < EVENTS; i += 1_000) {
    await event.createMany({ data: Array.from({ length: 1_000 }, (_, at) => ({ total: i + at })) })
  }
  return { customer, line, event, ids: lines.map(({ id }) => id) }
}

const stockOf = (client: Client, shop: Shop): Omit<Stock, 'ids'> => ({
  customer: client[`${shop}Customer`] as Delegate,
  line: client[`${shop}Line`] as Delegate,
  event: client[`${shop}Event`] as Delegate,
})

function tablesOf(shop: Shop, database: Database): string[] {
  const key = database === 'postgres' ? 'text COLLATE "C"' : 'text'
  const table = (name: string) => `shop_${shop}_${name}`
  return [
    ...['event', 'line', 'order', 'customer'].map((name) => `DROP TABLE IF EXISTS ${table(name)}`),
    `CREATE TABLE ${table('customer')} (id ${key} PRIMARY KEY, name text NOT NULL)`,
    `CREATE TABLE ${table('order')} (id ${key} PRIMARY KEY, total integer NOT NULL,
      customer_id ${key} NOT NULL REFERENCES ${table('customer')})`,
    `CREATE TABLE ${table('line')} (id ${key} PRIMARY KEY, position integer NOT NULL,
      order_id ${key} NOT NULL REFERENCES ${table('order')})`,
    `CREATE TABLE ${table('event')} (id ${key} PRIMARY KEY, total integer NOT NULL)`,
    `CREATE INDEX ${table('orders')} ON ${table('order')} (customer_id)`,
    `CREATE INDEX ${table('lines')} ON ${table('line')} (order_id)`,
  ]
}

function models(shop: Shop): string {
  const id =
    shop === 'flax'
      ? 'String @id @default(dbgenerated()) /// @snoflax flax'
      : 'String @id @default(nanoid(16))'
  const time = shop === 'flax' ? 'createdAt' : ''
  const name = (model: string) => `${shop === 'flax' ? 'Flax' : 'Plain'}${model}`
  return `
model ${name('Customer')} {
  id ${id}
  name String
  orders ${name('Order')}[]
  @@map("shop_${shop}_customer")
}

model ${name('Order')} {
  id ${id}
  total Int
  customerId String @map("customer_id")
  customer ${name('Customer')} @relation(fields: [customerId], references: [id])
  lines ${name('Line')}[]
  @@map("shop_${shop}_order")
}

model ${name('Line')} {
  id ${id}
  position Int
  orderId String @map("order_id")
  order ${name('Order')} @relation(fields: [orderId], references: [id])
  @@map("shop_${shop}_line")
}

model ${name('Event')} {
  id ${id} ${time}
  total Int
  @@map("shop_${shop}_event")
}
`
}
