import { deepEqual, throws } from 'node:assert/strict'
import { flax, IdError } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/sqlite-core'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/sql-js'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import initSqlJs from 'sql.js'

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
