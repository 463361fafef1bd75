import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { flax, sno } from '@snoflax/core'
import { FlaxIdColumn, SnoIdColumn } from '@snoflax/typeorm'
import {
  BeforeInsert,
  Column,
  DataSource,
  Entity,
  In,
  ManyToOne,
  type ObjectLiteral,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Repository,
} from 'typeorm'
import { besidePlainKeys, type Pair } from '../ratios.js'
import type { Section } from '../report.js'
import type { Timing } from '../timing.js'
import { raceTurns, timedByCpu } from '../turns.js'
import type { Place } from './contest.js'

const ROWS = 10_000
const CUSTOMERS = 500

/**
 * Our keys as text beside plain texts of the same length, and our compact keys beside uuids that PostgreSQL generates; new
 * rows beside those and beside uuids that the application generates.
 */
const CONTESTANTS = ['flax', 'sno', 'plain', 'compact', 'uuid', 'application'] as const
type Contestant = (typeof CONTESTANTS)[number]

/** Orders with one kind of key, and keys of existing rows. */
interface Stock {
  readonly key: Contestant
  readonly orders: Repository<ObjectLiteral>
  readonly ids: readonly string[]
  close(): Promise<void>
}

const SAVE = 'save, 1,000 new rows'

const QUERIES: Readonly<Record<string, (stock: Stock) => Promise<unknown>>> = {
  'find, 10,000 rows': ({ orders }) => orders.find(),
  'find, 10,000 rows with two relations joined': ({ orders }) =>
    orders.find({ relations: { customer: true, agent: true } }),
  'findOneBy id, 50 times': async ({ orders, ids }) => {
    for (const id of ids.slice(0, 50)) await orders.findOneBy({ id })
  },
  'findBy In, 3,000 ids': ({ orders, ids }) => orders.findBy({ id: In(ids.slice(0, 3_000)) }),
  [SAVE]: ({ key, orders }) =>
    orders.save(
      Array.from({ length: 1_000 }, (_, total) =>
        // TypeORM generates no text: as if the application did.
        orders.create({ ...(key === 'plain' && { id: flax.generate() }), note: `order ${total}`, total }),
      ),
    ),
}

/** Our keys, the plain ones that they are compared with, and for each query the ratio to stay under. */
const PAIRS = [
  ['flax', 'plain', [1.05, 1.05, 1.05, 1.05]],
  ['sno', 'plain', [1.05, 1.05, 1.05, 1.05]],
  ['compact', 'uuid', [1.2, 1.15, undefined, undefined]],
] as const

/** The cost of ids. */
export const typeormQueries: Section<Place> = {
  name: 'typeorm-queries',
  run: async (place) => {
    const timings = await race(place)
    const pairs = Object.entries(timings).flatMap(([query, of], at) =>
      PAIRS.flatMap(([key, plain, aims]): Pair[] => {
        const name = `${query}, ${key === 'compact' ? 'flax as uuid' : key}`
        if (query !== SAVE) return [{ name, ours: of[key], plain: of[plain], aim: aims[at] }]
        return [
          { name, ours: of[key], plain: of.uuid, aim: 1.2 },
          { name: `${name}, of ids in @BeforeInsert`, ours: of[key], plain: of.application, aim: 1.2 },
        ]
      }),
    )
    return {
      title: 'TypeORM: queries, PostgreSQL',
      about:
        'Entities with an id, a text, a number and two relations, beside plain keys of the same type; `save` beside uuids that PostgreSQL generates, and beside those that the application generates in `@BeforeInsert`. The time is the CPU of the client.',
      ...besidePlainKeys(pairs),
    }
  },
}

async function race({ postgres: { url } }: Place): Promise<Record<string, Record<Contestant, Timing>>> {
  const stocks = await Promise.all(CONTESTANTS.map((key) => openStock(url, key)))
  try {
    const timings: Record<string, Record<Contestant, Timing>> = {}
    for (const [name, query] of Object.entries(QUERIES)) {
      const turns = stocks.map((stock) => [stock.key, timedByCpu(() => query(stock))])
      timings[name] = await raceTurns(Object.fromEntries(turns), { rounds: 20, warmUps: 4 })
    }
    return timings
  } finally {
    await Promise.all(stocks.map(({ close }) => close()))
  }
}

/** A separate DataSource for each, since one with an id column reads the conditions of all its entities. */
async function openStock(url: string, key: Contestant): Promise<Stock> {
  const { Customer, Order, newId } = entitiesOf(key)
  const dataSource = new DataSource({ type: 'postgres', url, entities: [Customer, Order], synchronize: true })
  await dataSource.initialize()
  const customers = Array.from({ length: CUSTOMERS }, (_, i) => ({ id: newId(), name: `customer ${i}` }))
  await dataSource.getRepository(Customer).insert(customers)
  const rows = Array.from({ length: ROWS }, (_, i) => ({
    id: newId(),
    note: `order ${i}`,
    total: i,
    customer: { id: customers[i % CUSTOMERS]?.id as string },
    agent: { id: customers[(i * 7) % CUSTOMERS]?.id as string },
  }))
  const orders = dataSource.getRepository(Order)
  for (let i = 0; i < ROWS; i += 1_000) await orders.insert(rows.slice(i, i + 1_000))
  await dataSource.query('ANALYZE')
  return {
    key,
    orders,
    ids: rows.map(({ id }) => id),
    close: () => dataSource.destroy(),
  }
}

function entitiesOf(key: Contestant) {
  const Id = {
    flax: () => FlaxIdColumn(),
    sno: () => SnoIdColumn(),
    compact: () => FlaxIdColumn({ storage: 'uuid' }),
    plain: () => PrimaryColumn('text', { collation: 'C' }),
    uuid: () => PrimaryGeneratedColumn('uuid'),
    application: () => PrimaryColumn('uuid'),
  }[key] as () => PropertyDecorator

  @Entity(`query_${key}_customer`)
  class Customer {
    @Id() id!: string
    @Column('text') name!: string
  }

  @Entity(`query_${key}_order`)
  class Order {
    @Id() id!: string
    @Column('text') note!: string
    @Column('integer') total!: number
    @ManyToOne(() => Customer) customer!: Customer
    @ManyToOne(() => Customer) agent!: Customer
  }

  if (key === 'application') {
    const prototype = Object.assign(Order.prototype, {
      generateId(this: Order) {
        this.id ??= randomUUID()
      },
    })
    BeforeInsert()(prototype, 'generateId')
  }

  const newId =
    key === 'uuid' || key === 'application'
      ? randomUUID
      : key === 'sno'
        ? () => sno.generate()
        : () => flax.generate()
  return { Customer, Order, newId }
}
