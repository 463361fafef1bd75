import { flax, type Id, prefixed, type StorageName, sno } from '@snoflax/core'
import { flaxId, idColumn, idPlugin, snoId, type WithIds } from '@snoflax/kysely'
import type { OpenDatabase } from '@snoflax/test'
import { Kysely, type KyselyPlugin, ParseJSONResultsPlugin, sql } from 'kysely'
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
export async function openShop(
  database: OpenDatabase,
  storage: StorageName,
  others: readonly KyselyPlugin[] = [],
): Promise<OpenShop> {
  const ids = shopPlugin(
    database.kind === 'pglite' ? 'postgres' : (database.kind as 'sqlite' | 'mysql' | 'postgres'),
    storage,
  )
  const db: Shop = new Kysely({
    dialect: dialectFor(database),
    plugins: [ids, ...(storage === 'text' ? [new ParseJSONResultsPlugin()] : []), ...others],
  })
  const { schema } = db
  await schema
    .createTable('customers')
    .addColumn('id', ids.columnType('customers.id'), (column) => column.primaryKey().notNull())
    .addColumn('name', 'varchar(40)', (column) => column.notNull())
    .addColumn('referrer_id', ids.columnType('customers.referrer_id'))
    .execute()
  await schema
    .createTable('orders')
    .addColumn('id', ids.columnType('orders.id'), (column) => column.primaryKey().notNull())
    .addColumn('customer_id', ids.columnType('orders.customer_id'), (column) => column.notNull())
    .addColumn('total', 'integer', (column) => column.notNull())
    .execute()
  await schema
    .createTable('items')
    .addColumn('id', ids.columnType('items.id'), (column) => column.primaryKey().notNull())
    .addColumn('order_id', ids.columnType('items.order_id'), (column) => column.notNull())
    .addColumn('label', 'varchar(40)')
    .execute()
  const raw = database.kind === 'postgres' || database.kind === 'pglite' ? sql`bytea` : sql`blob`
  await schema
    .createTable('logs')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('note', 'varchar(80)', (column) => column.notNull())
    .addColumn('raw', raw)
    .execute()
  const [ada, bob, eve] = ['Ada', 'Bob', 'Eve'].map((name) => ({ id: ids.generate('customers.id'), name }))
  await db
    .insertInto('customers')
    .values([ada as never, { ...(bob as never as object), referrer_id: ada?.id } as never, eve as never])
    .execute()
  for (const [customer, total] of [
    [ada, 10],
    [ada, 20],
    [bob, 30],
    [bob, 40],
  ] as const) {
    const id = ids.generate('orders.id')
    await db
      .insertInto('orders')
      .values({ id, customer_id: customer?.id as never, total })
      .execute()
    await db
      .insertInto('items')
      .values({ order_id: id, label: `item ${total}` })
      .execute()
  }
  await db.insertInto('logs').values({ id: 1, note: 'Kpcan0M1FakODT4k', raw: null }).execute()
  return { db, ids }
}

export const isFlax = flax.is
export const isSno = sno.is

export type CustomerId = Id<'flax', 'customers'>
export type OrderId = Id<'sno', 'orders'>
