import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { type FlaxId, flax, type Id, prefixed, type SnoId, sno } from '@snoflax/core'
import { generateSealKey, seal } from '@snoflax/seal'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import * as ours from '@snoflax/typeorm'
import {
  CreatedAt,
  createdBetween,
  FlaxIdColumn,
  fromDatabase,
  idColumn,
  keyset,
  parameter,
  prepareDataSource,
  SnoIdColumn,
} from '@snoflax/typeorm'
import {
  Column,
  DataSource,
  type DataSourceOptions,
  Entity,
  EntitySchema,
  ManyToOne,
  type Relation,
} from 'typeorm'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const README = read('../README.md')
const blocks = [...README.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code as string)

/** Without imports and layout, so that code may stand inside a test and be formatted there. */
const flat = (code: string) => code.replaceAll(/^\s*import .*$/gm, '').replaceAll(/\s|,(?=\s*[)\]}])/g, '')

@Entity()
class Customer {
  @FlaxIdColumn({ prefix: 'cus' }) id!: Id<'cus'>
  @Column('varchar') name!: string
}

@Entity()
class Order {
  @SnoIdColumn({ meta: 2 }) id!: Id<'sno', 'order'>
  @ManyToOne(() => Customer, { cascade: true }) customer!: Relation<Customer>
  @SnoIdColumn.plain({ nullable: true }) traceId!: SnoId | null
}

const Invoice = new EntitySchema<{ id: FlaxId; orderId: SnoId }>({
  name: 'invoice',
  columns: { id: idColumn(flax), orderId: idColumn.plain(sno) },
})

@Entity()
class Visit {
  @FlaxIdColumn() id!: FlaxId
  @CreatedAt() readonly createdAt!: Date
}

@Entity()
class Post {
  @FlaxIdColumn() id!: FlaxId
  @FlaxIdColumn.plain({ array: true }) readerIds!: FlaxId[]
}

@Entity()
class Author {
  @FlaxIdColumn() id!: Id<'flax', 'author'>
}
@Entity()
class Book {
  @FlaxIdColumn() id!: Id<'flax', 'book'>
  @FlaxIdColumn.plain() authorId!: Id<'flax', 'author'>
}

@Entity()
class Account {
  @FlaxIdColumn({ accept: /[a-z0-9]{24}/, branded: false }) id!: string
  @CreatedAt() readonly createdAt!: Date | null
}

const receiptSeal = seal(flax, { keys: generateSealKey() })
@Entity()
class Receipt {
  @FlaxIdColumn() id!: FlaxId
  get publicId() {
    return receiptSeal.seal(this.id)
  }
}

let database: PostgresDatabase
beforeAll(async () => {
  database = await postgres.open()
})
afterEach(() => vi.unstubAllEnvs())
afterAll(() => database.close())

describe('the README', () => {
  test('contains only code that this test runs', () => {
    const here = flat(read('./readme.test.ts'))
    expect(blocks.length).toBeGreaterThanOrEqual(7)
    for (const block of blocks) expect(here).toContain(flat(block))
  })

  test('names every export, and only existing ones', () => {
    for (const name of Object.keys(ours)) expect(README).toContain(name)
    const named = [...README.matchAll(/`(\w+Column|\w*Between|created\w+|\w+Of|prepare\w+|keyset\w+)\(/g)]
    for (const [, name] of named) expect(Object.keys(ours)).toContain(name)
  })
})

test('the quick start runs', async () => {
  vi.stubEnv('DATABASE_URL', database.url)
  const dataSource = new DataSource({
    type: 'postgres',
    url: process.env['DATABASE_URL'] as string,
    entities: [Customer, Order],
    synchronize: true,
  })
  await dataSource.initialize()

  const orders = dataSource.getRepository(Order)
  const order = await orders.save({ customer: { name: 'Ada' } })
  order.customer.id // 'cus_Kpcan0M1FakODT4k', an Id<'cus'>
  order.id // '9q7k4h922d78w222', an Id<'sno', 'order'>

  await orders.findOneBy({ id: order.id })
  await orders.findBy({ customer: { id: order.customer.id } })
  await orders
    .createQueryBuilder('o')
    .where('o.id IN (:...ids)', { ids: [order.id] })
    .getMany()

  const [from, to] = [new Date('2026-11-01'), new Date('2026-12-01')]
  await dataSource.getRepository(Customer).findBy({ id: createdBetween(Customer, 'id', from, to) })
  await dataSource.destroy()

  await dataSource.initialize()
  expect(sno.meta(order.id)).toBe(2)
  expect(await orders.findBy({ customer: { id: order.customer.id } })).toMatchObject([{ id: order.id }])
  const [{ id }] = await dataSource.query('SELECT id FROM customer')
  expect(id).toBe(order.customer.id)
  expect(id).toMatch(prefixed(flax, 'cus').pattern)
  expect(await orders.findOneBy({ id: 'abc' as never })).toBeNull()
  const wrong = orders.save({ id: 'abc' as never, customer: order.customer })
  await expect(wrong).rejects.toThrow('Order.id: sno: an id has 16 characters, not 3 ("abc")')
  await dataSource.destroy()
})

test('the code about columns, pages and your own SQL runs', async () => {
  const { url } = database
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    entities: [Invoice, Visit],
    synchronize: true,
  })
  await dataSource.initialize()
  const invoice = await dataSource.getRepository(Invoice).save({ orderId: sno.generate() })
  expect(flax.is(invoice.id)).toBe(true)

  const visits = dataSource.getRepository(Visit)
  await visits.insert(Array.from({ length: 25 }, () => ({})))
  const first = await visits.find(keyset(Visit, { order: 'desc', take: 20 }))
  const next = await visits.find(keyset(Visit, { order: 'desc', take: 20, after: first.at(-1)?.id }))
  expect([first.length, next.length]).toEqual([20, 5])
  expect(first[0]?.createdAt).toBeInstanceOf(Date)

  const since = new Date('2026-11-01')
  const rows = await dataSource.query('SELECT id FROM visit WHERE id > $1', [flax.lowerBound(since)])
  const ids = [...first, ...next].map(({ id }) => id).sort()
  expect(rows.map(({ id }: Visit) => id).sort()).toEqual(ids)

  const visit = first[0] as Visit
  const id = parameter(Visit, 'id', visit.id)
  const row = await visits.createQueryBuilder('v').where('v.id = :id', { id }).getRawOne()
  fromDatabase(Visit, 'id', row.v_id)
  expect(row.v_id).toBe(visit.id)
  await dataSource.destroy()
})

test('the code that prepares a DataSource by hand runs', async () => {
  const prepared = prepareDataSource(
    new DataSource({ type: 'better-sqlite3', database: ':memory:', entities: [Visit] }),
  )
  await prepared.initialize()
  await prepared.synchronize()
  expect(flax.is((await prepared.getRepository(Visit).save({})).id)).toBe(true)
  await prepared.destroy()
})

test('the code about typed, existing and sealed ids runs', async () => {
  const entities = [Author, Book, Receipt, Account]
  const dataSource = new DataSource({ type: 'postgres', url: database.url, entities, synchronize: true })
  await dataSource.initialize()
  const receipts = dataSource.getRepository(Receipt)
  const { publicId } = await receipts.save(receipts.create())
  await receipts.findOneBy({ id: receiptSeal.open(publicId) })
  expect((await receipts.findOneByOrFail({ id: receiptSeal.open(publicId) })).publicId).toBe(publicId)
  expect(() => receiptSeal.open(`A${publicId.slice(1)}A`)).toThrow(
    expect.objectContaining({ code: 'INVALID_SEAL' }),
  )
  const { id: authorId } = await dataSource.getRepository(Author).save(new Author())
  const books = dataSource.getRepository(Book)
  const { id } = await books.save({ authorId })
  expect(await books.findOneBy({ authorId })).toEqual({ id, authorId })
  const accounts = await dataSource.getRepository(Account).save([{ id: 'tz4a98xxat96iws9zmbrgj3a' }, {}])
  expect(accounts.map((one) => flax.is(one.id))).toEqual([false, true])
  const [old] = await dataSource.getRepository(Account).find({ order: { id: 'DESC' } })
  expect(old?.createdAt).toBeNull()
  await dataSource.destroy()
})

test('the code about arrays and about skipping the check of columns runs', async () => {
  const options: DataSourceOptions = {
    type: 'postgres',
    url: database.url,
    entities: [Post],
    synchronize: true,
  }
  const unchecked = prepareDataSource(new DataSource(options), { checkColumns: false })
  await unchecked.initialize()
  const posts = unchecked.getRepository(Post)
  const readerIds = [flax.generate(), flax.generate()]
  const { id } = await posts.save({ readerIds })
  expect(await posts.findOneByOrFail({ id })).toEqual({ id, readerIds })
  await unchecked.destroy()
})
