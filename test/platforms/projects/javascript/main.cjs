const { deepEqual, throws } = require('node:assert/strict')
const { flax, IdError } = require('@snoflax/core')
const { flaxId } = require('@snoflax/drizzle/sqlite-core')
const { eq, sql } = require('drizzle-orm')
const { drizzle } = require('drizzle-orm/sql-js')
const { sqliteTable, text } = require('drizzle-orm/sqlite-core')
const initSqlJs = require('sql.js')

const orders = sqliteTable('orders', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  what: text().notNull(),
})

async function main() {
  const { Database } = await initSqlJs()
  const db = drizzle(new Database())
  db.run(sql`CREATE TABLE orders (id BLOB PRIMARY KEY, what TEXT NOT NULL)`)
  const { id } = db.insert(orders).values({ what: 'tea' }).returning().get()
  deepEqual(db.select().from(orders).where(eq(orders.id, id)).all(), [{ id, what: 'tea' }])
  throws(() => flax.parse('tea'), IdError)
  throws(() => db.select().from(orders).where(eq(orders.id, 'tea')).all(), IdError)
  console.log(`stored, found and refused an id like ${id}`)
}

main()
