import { flax, IdError } from '@snoflax/core'
import { checkColumns, flaxId } from '@snoflax/drizzle/sqlite-core'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

const orders = sqliteTable('orders', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  what: text().notNull(),
})
const wrong = sqliteTable('wrong', { orderId: flaxId.plain() })

export default {
  async fetch(_request: Request, { DB }: { readonly DB: D1Database }): Promise<Response> {
    const db = drizzle(DB)
    await db.run(sql`CREATE TABLE orders (id BLOB PRIMARY KEY, what TEXT NOT NULL)`)
    await db.run(sql`CREATE TABLE wrong (orderId TEXT COLLATE NOCASE)`)
    await checkColumns(db, { orders })
    const refusal = await checkColumns(db, { wrong }).catch(({ message }) => message)
    if (!/orderId is text COLLATE NOCASE/.test(refusal)) return new Response(`checkColumns: ${refusal}`)
    const [{ id }] = await db.insert(orders).values({ what: 'tea' }).returning()
    const found = await db.select().from(orders).where(eq(orders.id, id))
    if (found.length !== 1 || found[0].id !== id) return new Response(`found ${JSON.stringify(found)}`)
    try {
      flax.parse('tea')
    } catch (error) {
      if (error instanceof IdError) return new Response(`stored, found and refused an id like ${id}`)
    }
    return new Response('parse took tea')
  },
}
