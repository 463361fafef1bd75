import { registerSnoflax } from '@snoflax/better-sqlite3'
import { createdBetween as between, idColumn } from '@snoflax/drizzle/sqlite-core'
import { createdBetween, IdColumn } from '@snoflax/typeorm'
import Database from 'better-sqlite3'
import { and, eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type Ulid, ulid } from 'example-own-families/ulid'
import { type Uuid7, uuid7 } from 'example-own-families/uuid7'
import { Column, DataSource, Entity, ManyToOne, type Relation } from 'typeorm'
import { expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'

const DAY_MS = 86_400_000

const ulidId = idColumn(ulid)
const customers = sqliteTable('customers', { id: ulidId().primaryKey(), name: text().notNull() })
const orders = sqliteTable('orders', {
  id: ulidId().primaryKey(),
  customerId: ulidId.ref('customer_id').references(() => customers.id),
})

test('Drizzle: a table of ULIDs, and one that refers to it', () => {
  const connection = new Database(':memory:')
  connection.exec('CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL)')
  connection.exec('CREATE TABLE orders (id TEXT PRIMARY KEY, customer_id TEXT REFERENCES customers)')
  const db = drizzle(connection)

  const ada: { id: Ulid } = db.insert(customers).values({ name: 'Ada' }).returning().get()
  const order = db.insert(orders).values({ customerId: ada.id }).returning().get()
  expect(ulid.time(order.id).getTime()).toBeGreaterThan(Date.now() - DAY_MS)

  const from = new Date(Date.now() - DAY_MS)
  const to = new Date(Date.now() + DAY_MS)
  const found = db
    .select()
    .from(orders)
    .where(and(eq(orders.customerId, ada.id), between(orders.id, from, to)))
    .all()
  expect(found).toEqual([order])
  expectRefusal(
    () =>
      db
        .select()
        .from(orders)
        .where(eq(orders.id, 'lower' as Ulid))
        .all(),
    'INVALID_LENGTH',
  )
})

@Entity()
class Customer {
  @IdColumn(uuid7) id!: Uuid7
  @Column('text') name!: string
}

@Entity()
class Order {
  @IdColumn(uuid7) id!: Uuid7
  @ManyToOne(() => Customer, { cascade: true }) customer!: Relation<Customer>
}

test('TypeORM: an entity of UUIDv7, and one that refers to it', async () => {
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [Customer, Order],
    synchronize: true,
  })
  await dataSource.initialize()
  const repository = dataSource.getRepository(Order)

  const { id } = await repository.save({ customer: { name: 'Ada' } })
  expect(uuid7.time(id).getTime()).toBeGreaterThan(Date.now() - DAY_MS)

  const from = new Date(Date.now() - DAY_MS)
  const to = new Date(Date.now() + DAY_MS)
  const found = await repository.find({
    where: { id: createdBetween(uuid7, from, to) },
    relations: { customer: true },
  })
  expect(found).toMatchObject([{ id, customer: { name: 'Ada' } }])
  expect(uuid7.is(found[0]?.customer.id)).toBe(true)
  await dataSource.destroy()
})

test('SQLite: a table whose ids are made by the database', () => {
  const connection = new Database(':memory:')
  registerSnoflax(connection, { families: [ulid] })
  connection.exec('CREATE TABLE tags (id TEXT PRIMARY KEY DEFAULT (ulid_generate_text()), label TEXT)')
  const insert = connection.prepare('INSERT INTO tags (label) VALUES (?) RETURNING id, ulid_time(id) AS time')
  const tag = insert.get('red')

  const { id, time } = tag as { id: string; time: string }
  expect(ulid.time(ulid.parse(id))).toEqual(new Date(`${time.replace(' ', 'T')}Z`))
})
