// An application that loads Drizzle by require, and so has another copy of it than the package.
const { flaxId, placeholder, snoId } = require('@snoflax/drizzle/sqlite-core')
const Database = require('better-sqlite3')
const { eq, relations } = require('drizzle-orm')
const { drizzle } = require('drizzle-orm/better-sqlite3')
const { sqliteTable, text } = require('drizzle-orm/sqlite-core')

const customers = sqliteTable('customers', { id: flaxId({ storage: 'binary' }).primaryKey(), name: text() })
const orders = sqliteTable('orders', {
  id: snoId().primaryKey(),
  customerId: flaxId.ref('customer_id').references(() => customers.id),
})
const orderRelations = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
}))
const client = new Database(':memory:')
client.exec(`create table customers (id blob primary key not null, name text);
  create table orders (id text primary key not null, customer_id blob references customers)`)
const db = drizzle(client, { schema: { customers, orders, orderRelations } })

const customer = db.insert(customers).values({ name: 'Ada' }).returning().get()
const order = db.insert(orders).values({ customerId: customer.id }).returning().get()
const byId = db
  .select()
  .from(customers)
  .where(eq(customers.id, placeholder(customers.id, 'id')))
  .prepare()

let nested
try {
  nested = db.query.orders.findMany({ with: { customer: true } }).sync()
} catch (error) {
  nested = String(error.message)
}
console.log(JSON.stringify({ customer, order, found: byId.all({ id: customer.id }), nested }))
