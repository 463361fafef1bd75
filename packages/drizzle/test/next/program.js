import { PGlite } from '@electric-sql/pglite'
import * as pg from '@snoflax/drizzle/pg-core'
import { createdBetween, flaxId, keyset, placeholder, snoId } from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { defineRelations, eq, inArray, sql } from 'drizzle-orm'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { pgTable, text as pgText } from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

// Runs with register.js, so that `drizzle-orm` is the release candidate, and prints what works with it.

/** Tries each way of finding a row, and says of each whether it found that row alone. */
async function outcomes(expected, ways) {
  const seen = {}
  for (const [name, way] of Object.entries(ways)) {
    try {
      seen[name] = JSON.stringify(await way()) === JSON.stringify(expected) ? 'works' : 'finds nothing'
    } catch (error) {
      const { name: kind, message } = error.name === 'DrizzleQueryError' ? error.cause : error
      seen[name] = `${kind}: ${message}`
    }
  }
  return seen
}

const relate = (customers, orders) =>
  defineRelations({ customers, orders }, (r) => ({
    customers: { orders: r.many.orders() },
    orders: { customer: r.one.customers({ from: r.orders.customerId, to: r.customers.id }) },
  }))

async function inSqlite(storage) {
  const customers = sqliteTable('customers', { id: flaxId({ storage }).primaryKey(), name: text() })
  const orders = sqliteTable('orders', {
    id: snoId({ meta: 2, storage }).primaryKey(),
    customerId: flaxId.ref('customer_id').references(() => customers.id),
  })
  const client = new Database(':memory:')
  client.exec(`create table customers (id ${customers.id.getSQLType()} primary key not null, name text);
    create table orders (id ${orders.id.getSQLType()} primary key not null, customer_id ${orders.customerId.getSQLType()});`)
  return waysIn(overBetterSqlite3({ client, relations: relate(customers, orders) }), customers, orders)
}

async function inPostgres(storage) {
  const customers = pgTable('customers', { id: pg.flaxId({ storage }).primaryKey(), name: pgText() })
  const orders = pgTable('orders', {
    id: pg.snoId({ meta: 2, storage }).primaryKey(),
    customerId: pg.flaxId.ref('customer_id').references(() => customers.id),
  })
  const client = await PGlite.create()
  await client.exec(`create table customers (id ${customers.id.getSQLType()} primary key, name text);
    create table orders (id ${orders.id.getSQLType()} primary key, customer_id ${orders.customerId.getSQLType()});`)
  return waysIn(overPglite({ client, relations: relate(customers, orders) }), customers, orders)
}

async function waysIn(db, customers, orders) {
  const [customer] = await db.insert(customers).values({ name: 'Ada' }).returning()
  const [order] = await db.insert(orders).values({ customerId: customer.id }).returning()
  const { id } = customer
  const select = (where) => db.select().from(customers).where(where)
  const found = [customer]
  return {
    ...(await outcomes(found, {
      'eq()': () => select(eq(customers.id, id)),
      'inArray()': () => select(inArray(customers.id, [id])),
      'createdBetween()': () => select(createdBetween(customers.id, Date.now() - 9e4, Date.now() + 9e4)),
      'keyset()': () => db.select().from(customers).orderBy(keyset(customers.id).orderBy),
      'placeholder(column)': () =>
        select(eq(customers.id, placeholder(customers.id, 'id')))
          .prepare('a')
          .execute({ id }),
      'sql.placeholder()': () =>
        select(eq(customers.id, sql.placeholder('id')))
          .prepare('b')
          .execute({ id }),
      'a value in a template': () => select(sql`${customers.id} = ${id}`),
      'a malformed id': () => select(eq(customers.id, 'wrong')),
      'query.findMany()': () => db.query.customers.findMany({ where: { id } }),
    })),
    ...(await outcomes([{ ...order, customer }], {
      'nested rows': () => db.query.orders.findMany({ with: { customer: true } }),
    })),
  }
}

console.log(
  JSON.stringify({
    'SQLite, text': await inSqlite('text'),
    'SQLite, binary': await inSqlite('binary'),
    'PostgreSQL, uuid': await inPostgres('uuid'),
    'PostgreSQL, binary': await inPostgres('binary'),
  }),
)
