import { flax, IdError } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/sqlite-core'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

const orders = sqliteTable('orders', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  what: text().notNull(),
})

export default {
  async fetch(_request: Request, { DB }: { readonly DB: D1Database }): Promise<Response> {
    const db = drizzle(DB)
    await db.run(sql`CREATE TABLE orders (id BLOB PRIMARY KEY, what TEXT NOT NULL)`)
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
