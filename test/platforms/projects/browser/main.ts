import { flax, IdError } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/sqlite-core'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import initSqlJs from 'sql.js/dist/sql-wasm-inline.js'

const orders = sqliteTable('orders', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  what: text().notNull(),
})

async function main(): Promise<void> {
  const { Database } = await initSqlJs()
  const database = new Database()
  // Not drizzle-orm/sql-js, which reads bytes as text where there is no Buffer.
  const db = drizzle(async (statement, parameters) => {
    const [{ values } = { values: [] }] = database.exec(statement, parameters)
    return { rows: values }
  })
  await db.run(sql`CREATE TABLE orders (id BLOB PRIMARY KEY, what TEXT NOT NULL)`)
  const [{ id }] = await db.insert(orders).values({ what: 'tea' }).returning()
  const found = await db.select().from(orders).where(eq(orders.id, id))
  if (found.length !== 1 || found[0].id !== id) throw new Error(`found ${JSON.stringify(found)}`)
  const [[bytes]] = database.exec('SELECT length(id) FROM orders')[0].values
  if (bytes !== 12) throw new Error(`stored ${bytes} bytes`)
  try {
    flax.parse('tea')
  } catch (error) {
    if (error instanceof IdError) console.log(`stored, found and refused an id like ${id}`)
  }
}

main()
