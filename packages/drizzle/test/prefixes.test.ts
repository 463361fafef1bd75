import { flake, flax, IdError, prefixed, type StorageName, sno } from '@snoflax/core'
import * as mysql from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as sqlite from '@snoflax/drizzle/sqlite-core'
import { sqlite as sqliteDatabase } from '@snoflax/test'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { type AnyPgColumn, pgTable } from 'drizzle-orm/pg-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { sqliteStatements } from './generated-sql.js'

const cus = prefixed(flax, 'cus')

const refusalOf = (action: () => unknown): IdError => {
  try {
    action()
  } catch (error) {
    if (error instanceof IdError) return error
    throw error
  }
  return expect.fail('nothing was thrown')
}

describe('a column with a prefix', () => {
  test('is that of the prefixed family, in every dialect', () => {
    const columns = [
      [pgTable('t', { id: pg.flaxId({ prefix: 'cus' }) }).id, pgTable('t', { id: pg.idColumn(cus)() }).id],
      [
        mysqlTable('t', { id: mysql.flaxId('id', { prefix: 'cus' }) }).id,
        mysqlTable('t', { id: mysql.idColumn(cus)('id') }).id,
      ],
      [
        sqliteTable('t', { id: sqlite.flaxId('id', { prefix: 'cus', storage: 'binary' }) }).id,
        sqliteTable('t', { id: sqlite.idColumn(cus)('id', { storage: 'binary' }) }).id,
      ],
    ] as const
    const id = cus.generate()
    for (const [option, family] of columns) {
      expect(option.getSQLType()).toBe(family.getSQLType())
      expect(option.mapToDriverValue(id)).toEqual(family.mapToDriverValue(id))
      expect(cus.is(option.defaultFn?.())).toBe(true)
      expect(refusalOf(() => option.mapToDriverValue(flax.generate())).message).toMatch(/^t\.id: cus: .*cus_/)
    }
  })

  test('adds it to the ids of a generator and of the database', () => {
    const jobs = pgTable('jobs', {
      id: pg.flakeId({ prefix: 'job', generator: flake.generator({ id: 5 }) }),
      made: pg.snoId({ prefix: 'ord', meta: 2, default: 'database' }),
    })
    const id = jobs.id.defaultFn?.() as string
    expect(flake.unpack(prefixed(flake, 'job').withoutPrefix(id as never))).toMatchObject({ worker: 5 })
    expect(JSON.stringify(jobs.made.default)).toContain("'ord_'::text || snoflax.sno_generate_text(2)")
  })

  test.each([
    ['malformed', () => pg.flaxId({ prefix: 'Cus_' })],
    ['second', () => pg.idColumn(cus)({ prefix: 'ord' } as never)],
  ])('is refused with table and column if it is %s', (_, column) => {
    expect(refusalOf(() => pgTable('customers', { id: column() }))).toMatchObject({
      code: 'INVALID_OPTION',
      path: 'customers.id',
    })
  })
})

describe('a reference to a column with a prefix', () => {
  const customers = pgTable('customers', { id: pg.flaxId({ prefix: 'cus', storage: 'binary' }).primaryKey() })
  const id = cus.generate()

  test('has its prefix, storage given or not, and so does a reference to the reference', () => {
    const orders = pgTable('orders', {
      customerId: pg.flaxId.ref('customer_id', () => customers.id),
      same: pg.flaxId.ref(() => customers.id, { storage: 'binary' }),
      stated: pg.flaxId.ref({ prefix: 'cus' }).references(() => customers.id),
      next: pg.flaxId.ref((): AnyPgColumn => orders.customerId),
    })
    for (const column of [orders.customerId, orders.same, orders.stated, orders.next]) {
      expect(column.mapToDriverValue(id)).toEqual(customers.id.mapToDriverValue(id))
      expect(column.mapFromDriverValue(cus.decode(id) as never)).toBe(id)
    }
  })

  test.each<[string, () => AnyPgColumn, string]>([
    [
      'with another prefix',
      () => pgTable('o', { c: pg.flaxId.ref({ prefix: 'ord' }).references(() => customers.id) }).c,
      'o.c: stores ord ids, but references customers.id with cus ids',
    ],
    ['of another base', () => pgTable('o', { c: pg.snoId.ref(() => customers.id) }).c, 'o.c: stores sno ids'],
    [
      'that generates ids without it',
      () => pgTable('o', { c: pg.flaxId({ storage: 'binary' }).references(() => customers.id) }).c,
      "pass { prefix: 'cus' }, or use .ref()",
    ],
  ])('%s is refused', (_, column, message) => {
    expect(refusalOf(() => column().mapToDriverValue(id)).message).toContain(message)
  })
})

test.each<[StorageName, unknown]>([
  ['text', expect.stringMatching(/^cus_.{16}$/)],
  ['binary', expect.any(Buffer)],
])('rows with %s are inserted, found and joined', async (storage, stored) => {
  const customers = sqliteTable('customers', { id: sqlite.flaxId({ prefix: 'cus', storage }).primaryKey() })
  const orders = sqliteTable('orders', {
    id: sqlite.snoId({ prefix: 'ord', storage }).primaryKey(),
    customerId: sqlite.flaxId.ref('customer_id', () => customers.id).notNull(),
  })
  const database = await sqliteDatabase.open()
  for (const statement of await sqliteStatements({ customers, orders })) await database.query(statement)
  const db = drizzle({ client: database.connection })
  const customer = db.insert(customers).values({}).returning().get()
  const order = db.insert(orders).values({ customerId: customer.id }).returning().get()
  expect([cus.is(customer.id), prefixed(sno, 'ord').is(order.id)]).toEqual([true, true])
  expect(
    db
      .select()
      .from(orders)
      .innerJoin(customers, eq(customers.id, orders.customerId))
      .where(eq(orders.customerId, customer.id))
      .all(),
  ).toEqual([{ customers: customer, orders: order }])
  expect(await database.query('SELECT customer_id FROM orders')).toEqual([{ customer_id: stored }])
  await database.close()
})
