import { type Uuid7, uuid7 } from '@snoflax/core'
import { find, idColumn } from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { customerId, type IdOf, type Node, orderId, productId } from './ids.js'

const customers = sqliteTable('customers', {
  id: idColumn(customerId, { storage: 'binary' }).primaryKey(),
  name: text().notNull(),
})
const products = sqliteTable('products', {
  id: idColumn(productId, { storage: 'binary' }).primaryKey(),
  name: text().notNull(),
})
const orders = sqliteTable('orders', {
  id: idColumn(orderId, { storage: 'binary' }).primaryKey(),
  customerId: idColumn.ref('customer_id', () => customers.id).notNull(),
  productId: idColumn.ref('product_id', () => products.id).notNull(),
})
/** A table that had UUIDv7 keys before the API had to hide their time. */
const invoices = sqliteTable('invoices', {
  id: idColumn(uuid7).primaryKey(),
  orderId: idColumn.ref('order_id', () => orders.id).notNull(),
  cents: integer().notNull(),
})

/** The tables store the bare ids of 10 and 12 bytes, and UUIDv7s as text: no prefix, nothing sealed. */
export function openShop(file = ':memory:') {
  const connection = new Database(file)
  connection.exec(`
    CREATE TABLE customers (id BLOB PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE products (id BLOB PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE orders (id BLOB PRIMARY KEY,
      customer_id BLOB NOT NULL REFERENCES customers, product_id BLOB NOT NULL REFERENCES products);
    CREATE TABLE invoices (id TEXT PRIMARY KEY, order_id BLOB NOT NULL REFERENCES orders, cents INTEGER NOT NULL);`)
  const db = drizzle(connection)
  return {
    /** The stored rows. */
    stored: (): unknown[] => connection.prepare('SELECT id, customer_id FROM orders').all(),
    close: (): void => void connection.close(),
    addCustomer: (name: string) => db.insert(customers).values({ name }).returning().get(),
    addProduct: (name: string) => db.insert(products).values({ name }).returning().get(),
    placeOrder: (customer: IdOf<'customer'>, product: IdOf<'product'>) =>
      db.insert(orders).values({ customerId: customer, productId: product }).returning().get(),
    sendInvoice: (order: IdOf<'order'>, cents: number) =>
      db.insert(invoices).values({ orderId: order, cents }).returning().get(),
    invoice: (id: Uuid7) => db.select().from(invoices).where(eq(invoices.id, id)).get(),
    invoices: () => db.select().from(invoices).orderBy(invoices.id).all(),
    /** The row of an id, in whichever table it is. */
    find: (id: Node['id']) => find(db, { customers, products, orders }, id),
    customer: (id: IdOf<'customer'>) => db.select().from(customers).where(eq(customers.id, id)).get(),
    product: (id: IdOf<'product'>) => db.select().from(products).where(eq(products.id, id)).get(),
    order: (id: IdOf<'order'>) => db.select().from(orders).where(eq(orders.id, id)).get(),
    ordersOf: (id: IdOf<'customer'>) =>
      db.select().from(orders).where(eq(orders.customerId, id)).orderBy(orders.id).all(),
  }
}

export type Shop = ReturnType<typeof openShop>
export type Order = NonNullable<ReturnType<Shop['order']>>
