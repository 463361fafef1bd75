import { flax, type Id, prefixed, type StorageName } from '@snoflax/core'
import { flaxId, idColumn, idPlugin, snoId, type WithIds } from '@snoflax/kysely'
import type { OpenDatabase } from '@snoflax/test'
import { Kysely, ParseJSONResultsPlugin, sql } from 'kysely'
import { dialectFor } from './contract/session.js'

export const itemFamily = prefixed(flax, 'item')

/** Tables that are not the contract's: two families, a prefixed one, a list where there are some, a table undeclared. */
export function shopPlugin(database: 'sqlite' | 'postgres' | 'mysql', storage: StorageName) {
  const itemId = idColumn(itemFamily)
  return idPlugin({
    database,
    tables: {
      customers: { id: flaxId({ storage }), referrer_id: flaxId.ref('customers.id') },
      orders: {
        id: snoId({ meta: 2, storage: storage === 'uuid' ? 'uuid8' : storage }),
        customer_id: flaxId.ref('customers.id'),
      },
      items: { id: itemId({ storage }), order_id: snoId.ref('orders.id') },
    },
  })
}

interface Plain {
  customers: { name: string; referrer_id: string | null }
  orders: { total: number }
  items: { label: string | null }
  logs: { id: number; note: string; raw: unknown }
}

export type ShopPlugin = ReturnType<typeof shopPlugin>
export type Shop = Kysely<WithIds<Plain, ShopPlugin>>

export interface OpenShop {
  readonly db: Shop
  readonly ids: ShopPlugin
}

/** Three customers, each but the last with two orders, each order with an item. */
export async function openShop(database: OpenDatabase, storage: StorageName): Promise<OpenShop> {
  const kind = database.kind === 'pglite' ? 'postgres' : (database.kind as 'sqlite' | 'mysql' | 'postgres')
  const ids = shopPlugin(kind, storage)
  const plugins = [ids, ...(storage === 'text' ? [new ParseJSONResultsPlugin()] : [])]
  const db: Shop = new Kysely({ dialect: dialectFor(database), plugins })
  await sql`create table customers (id ${ids.columnType('customers.id')} primary key not null,
    name varchar(40) not null, referrer_id ${ids.columnType('customers.referrer_id')})`.execute(db)
  await sql`create table orders (id ${ids.columnType('orders.id')} primary key not null,
    customer_id ${ids.columnType('orders.customer_id')} not null, total integer not null)`.execute(db)
  await sql`create table items (id ${ids.columnType('items.id')} primary key not null,
    order_id ${ids.columnType('items.order_id')} not null, label varchar(40))`.execute(db)
  const raw = sql.raw(kind === 'postgres' ? 'bytea' : 'blob')
  await sql`create table logs (id integer primary key, note varchar(80) not null, raw ${raw})`.execute(db)
  const [ada, bob, eve] = [0, 1, 2].map(() => ids.generate('customers.id')) as [
    CustomerId,
    CustomerId,
    CustomerId,
  ]
  const customers = [
    { id: ada, name: 'Ada', referrer_id: null },
    { id: bob, name: 'Bob', referrer_id: ada },
    { id: eve, name: 'Eve', referrer_id: null },
  ]
  await db.insertInto('customers').values(customers).execute()
  for (const [at, customer_id] of [ada, ada, bob, bob].entries()) {
    const id = ids.generate('orders.id')
    await db
      .insertInto('orders')
      .values({ id, customer_id, total: 10 * (at + 1) })
      .execute()
    await db
      .insertInto('items')
      .values({ order_id: id, label: `item ${at}` })
      .execute()
  }
  await db.insertInto('logs').values({ id: 1, note: 'Kpcan0M1FakODT4k', raw: null }).execute()
  return { db, ids }
}

export type CustomerId = Id<'flax', 'customers'>
export type OrderId = Id<'sno', 'orders'>
