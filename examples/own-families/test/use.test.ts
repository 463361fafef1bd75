import { registerSnoflax } from '@snoflax/better-sqlite3'
import { createdBetween as between, idColumn } from '@snoflax/drizzle/sqlite-core'
import { createdBetween, IdColumn } from '@snoflax/typeorm'
import Database from 'better-sqlite3'
import { and, eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type Ksuid, ksuid } from 'example-own-families/ksuid'
import { Column, DataSource, Entity, ManyToOne, type Relation } from 'typeorm'
import { expect, test } from 'vitest'

const DAY_MS = 86_400_000

const customers = sqliteTable('customers', { id: idColumn(ksuid).primaryKey(), name: text().notNull() })
const orders = sqliteTable('orders', {
  id: idColumn(ksuid).primaryKey(),
  customerId: idColumn.ref('customer_id', () => customers.id),
})

test('Drizzle: a table with KSUIDs, and one that references it', () => {
  const connection = new Database(':memory:')
  connection.exec('CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL)')
  connection.exec('CREATE TABLE orders (id TEXT PRIMARY KEY, customer_id TEXT REFERENCES customers)')
  const db = drizzle(connection)

  const ada: { id: Ksuid } = db.insert(customers).values({ name: 'Ada' }).returning().get()
  const order = db.insert(orders).values({ customerId: ada.id }).returning().get()
  expect(ksuid.time(order.id).getTime()).toBeGreaterThan(Date.now() - DAY_MS)

  const from = new Date(Date.now() - DAY_MS)
  const to = new Date(Date.now() + DAY_MS)
  const found = db
    .select()
    .from(orders)
    .where(and(eq(orders.customerId, ada.id), between(orders.id, from, to)))
    .all()
  expect(found).toEqual([order])
  const lower = () =>
    db
      .select()
      .from(orders)
      .where(eq(orders.id, 'lower' as Ksuid))
      .all()
  expect(lower).toThrow(expect.objectContaining({ name: 'IdError', code: 'INVALID_LENGTH' }))
})

@Entity()
class Customer {
  @IdColumn(ksuid) id!: Ksuid
  @Column('text') name!: string
}

@Entity()
class Order {
  @IdColumn(ksuid) id!: Ksuid
  @ManyToOne(() => Customer, { cascade: true }) customer!: Relation<Customer>
}

test('TypeORM: an entity with KSUIDs, and one that references it', async () => {
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [Customer, Order],
    synchronize: true,
  })
  await dataSource.initialize()
  const repository = dataSource.getRepository(Order)

  const { id } = await repository.save({ customer: { name: 'Ada' } })
  expect(ksuid.time(id).getTime()).toBeGreaterThan(Date.now() - DAY_MS)

  const from = new Date(Date.now() - DAY_MS)
  const to = new Date(Date.now() + DAY_MS)
  const found = await repository.find({
    where: { id: createdBetween(Order, 'id', from, to) },
    relations: { customer: true },
  })
  expect(found).toMatchObject([{ id, customer: { name: 'Ada' } }])
  expect(ksuid.is(found[0]?.customer.id)).toBe(true)
  await dataSource.destroy()
})

test('SQLite: a table whose ids the database generates', () => {
  const connection = new Database(':memory:')
  registerSnoflax(connection, { families: [ksuid] })
  connection.exec('CREATE TABLE tags (id TEXT PRIMARY KEY DEFAULT (ksuid_generate_text()), label TEXT)')
  const insert = connection.prepare(
    'INSERT INTO tags (label) VALUES (?) RETURNING id, ksuid_time(id) AS time',
  )
  const tag = insert.get('red')

  const { id, time } = tag as { id: string; time: string }
  expect(ksuid.time(ksuid.parse(id))).toEqual(new Date(`${time.replace(' ', 'T')}Z`))
})
