import { flax, IdError } from '@snoflax/core'
import { checkColumns, createdBetween, flaxId } from '@snoflax/drizzle/sqlite-core'
import { and, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/sql-js'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import initSqlJs from 'sql.js'

const orders = sqliteTable('orders', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  what: text().notNull(),
})

const customers = sqliteTable('customers', { id: flaxId({ prefix: 'cus' }).primaryKey(), name: text() })

async function main(): Promise<void> {
  const { Database } = await initSqlJs()
  const db = drizzle(new Database())
  db.run(sql`CREATE TABLE orders (id BLOB PRIMARY KEY, what TEXT NOT NULL)`)

  const { id } = db.insert(orders).values({ what: 'tea' }).returning().get()
  // Drizzle asks for the names of these columns outside the SQL that it builds.
  const set = { what: 'tea' }
  db.insert(orders).values({ id, what: 'ink' }).onConflictDoUpdate({ target: orders.id, set }).run()
  await checkColumns(db, { orders })

  const isNew = createdBetween(orders.id, Date.now() - 60_000, Date.now() + 60_000)
  const found = db.all(
    sql`SELECT what, length(id) AS bytes FROM ${orders} WHERE ${and(eq(orders.id, id), isNew)}`,
  )
  const wanted = '[{"what":"tea","bytes":12}]'
  if (JSON.stringify(found) !== wanted) throw new Error(`found ${JSON.stringify(found)}`)
  // Text: everybody who asks the database sees the id of the code.
  db.run(sql`CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT)`)
  db.run(sql`CREATE VIEW shown AS SELECT * FROM customers`)
  const { id: customer } = db.insert(customers).values({ name: 'Ada' }).returning().get()
  const told = db.all(
    sql`SELECT id, json_group_array(json_object('id', id)) AS json FROM shown WHERE id = ${customer}`,
  )
  const one = [{ id: customer, json: JSON.stringify([{ id: customer }]) }]
  if (JSON.stringify(told) !== JSON.stringify(one)) throw new Error(`shown as ${JSON.stringify(told)}`)

  refused(() => flax.parse('tea'))
  refused(() =>
    db
      .select()
      .from(orders)
      .where(eq(orders.id, 'tea' as typeof id))
      .all(),
  )
  console.log(`stored, found and refused an id like ${id}`)
}

function refused(call: () => unknown): void {
  try {
    call()
  } catch (error) {
    if (error instanceof IdError) return
    throw error
  }
  throw new Error(`${call} refused nothing`)
}

export const done = main()
