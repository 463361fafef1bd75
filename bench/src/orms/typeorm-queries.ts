import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { type FlaxId, flax, type IdFamily, sno, storageFor } from '@snoflax/core'
import { IdColumn } from '@snoflax/typeorm'
import {
  Column,
  DataSource,
  Entity,
  In,
  ManyToOne,
  type ObjectLiteral,
  PrimaryColumn,
  type Repository,
  type ValueTransformer,
} from 'typeorm'
import type { Section } from '../report.js'
import type { Timing } from '../timing.js'
import { raceTurns, timed } from '../turns.js'
import { KEYS, type Key, type Place } from './contest.js'

const ROWS = 10_000
const CUSTOMERS = 500

/** A uuid column with a hand-written transformer that converts like ours: the cost of ids within TypeORM itself. */
type Contestant = Key | 'transformer'
const CONTESTANTS: readonly Contestant[] = [...KEYS, 'transformer']
const STORAGE = storageFor(flax, 'postgres')
const TRANSFORMER: ValueTransformer = {
  to: (value: unknown) => STORAGE.toDatabase(value as FlaxId),
  // TypeORM also calls it for values that it has already hydrated.
  from: (value: unknown) => (flax.is(value) ? value : STORAGE.fromDatabase(value)),
}

/** Orders with one kind of key, and keys of existing rows. */
interface Stock {
  readonly key: Contestant
  readonly orders: Repository<ObjectLiteral>
  readonly ids: readonly string[]
  close(): Promise<void>
}

/** The queries, with the ratios to stay under. */
const AIMS = [1.1, 1.15, 1.15]
const QUERIES: Readonly<Record<string, (stock: Stock) => Promise<unknown>>> = {
  'find, 10,000 rows with two relations joined': ({ orders }) =>
    orders.find({ relations: { customer: true, agent: true } }),
  'findOneBy id, 50 times': async ({ orders, ids }) => {
    for (const id of ids.slice(0, 50)) await orders.findOneBy({ id })
  },
  'findBy In, 3,000 ids': ({ orders, ids }) => orders.findBy({ id: In(ids.slice(0, 3_000)) }),
}

/** The cost of ids for reads. */
export const typeormQueries: Section<Place> = {
  name: 'typeorm-queries',
  run: async (place) => {
    const timings = await race(place)
    const rows = Object.entries(timings).flatMap(([query, of], i) =>
      (['flax', 'sno'] as const).map((key) => ({
        name: `${query}, ${key}`,
        aim: AIMS[i],
        ratios: [of[key].stepNs / of.uuid.stepNs, of[key].stepNs / of.transformer.stepNs],
        spread: Math.max(of[key].spread, of.uuid.spread),
      })),
    )
    return {
      title: 'TypeORM: queries, PostgreSQL',
      about:
        'Entities with an id, a text, a number and two relations, whose keys are `uuid` columns. The transformer is one of ' +
        "TypeORM's own, in a column without our package: it converts flax by `storageFor(flax, 'postgres')`.",
      columns: [
        { title: 'a uuid key', aims: Object.fromEntries(rows.map(({ name, aim }) => [name, aim])) },
        { title: 'a transformer', aims: {} },
      ],
      rows,
    }
  },
}

async function race({ postgres: { url } }: Place): Promise<Record<string, Record<Contestant, Timing>>> {
  const stocks = await Promise.all(CONTESTANTS.map((key) => openStock(url, key)))
  try {
    const timings: Record<string, Record<Contestant, Timing>> = {}
    for (const [name, query] of Object.entries(QUERIES)) {
      const turns = stocks.map((stock) => [stock.key, timed(() => query(stock))])
      timings[name] = await raceTurns(Object.fromEntries(turns), { rounds: 40, warmUps: 8 })
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
    ids: rows.map(({ id }) => (key === 'transformer' ? TRANSFORMER.from(id) : id)),
    close: () => dataSource.destroy(),
  }
}

function entitiesOf(key: Contestant) {
  const families = { flax, sno }
  const Id = (): PropertyDecorator => {
    if (key === 'uuid') return PrimaryColumn('uuid')
    if (key === 'transformer') return PrimaryColumn('uuid', { transformer: TRANSFORMER })
    return IdColumn(families[key] as IdFamily) as PropertyDecorator
  }

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

  const newId = {
    uuid: randomUUID,
    flax: () => flax.generate(),
    sno: () => sno.generate(),
    // TypeORM doesn't copy the transformer to foreign keys.
    transformer: () => STORAGE.toDatabase(flax.generate()) as string,
  }[key]
  return { Customer, Order, newId }
}
