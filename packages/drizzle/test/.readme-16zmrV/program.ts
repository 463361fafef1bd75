import { customerRelations, orderRelations, events } from './schema.js'
export async function run() {





const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const db = drizzle({ client: pool, schema }) // db.query needs the schema

const [ada] = await db.insert(customers).values({ name: 'Ada' }).returning()
await db.insert(orders).values([1, 2, 3].map((total) => ({ customerId: ada!.id, total })))
const found = await db.query.customers.findMany({ with: { orders: true } })
console.log(found[0]?.id, found[0]?.orders[0]?.id) // an Id<'cus'> and a SnoId



await checkColumns(db, { customers, orders }) // throws STORAGE_REFUSED with the columns that are wrong or missing




const november = await db
  .select({ total: orders.total, createdAt: createdAt(orders.id) })                // a Date, from the id
  .from(orders)
  .where(createdBetween(orders.id, new Date('2026-11-01'), new Date('2026-12-01'))) // from until before
  .orderBy(desc(orders.id))

const page = keyset(orders.id, { after: undefined, order: 'desc' })                // after: the last id seen
const newest = await db.query.orders.findMany({ ...page, limit: 20 })




const id = parameter(orders.id, newest[0]!.id)
const { rows } = await db.execute(sql`SELECT id FROM orders WHERE coalesce(trace_id, id) = ${id}`)
const ids = rows.map((row) => fromDatabase(orders.id, row.id))





const newOrder = createInsertSchema(orders, { ...insertIds(orders), total: (total) => total.positive() })
const parameters = z.object({ orderId: idSchema(orders.id) })

return { db, ada, found, november, page, newest, ids, newOrder, parameters } }
import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'
import * as schema from './schema.js'
import { customers, orders } from './schema.js'
import { checkColumns } from '@snoflax/drizzle/pg-core'
import { createdAt, createdBetween, keyset } from '@snoflax/drizzle/pg-core'
import { desc } from 'drizzle-orm'
import { fromDatabase, parameter } from '@snoflax/drizzle/pg-core'
import { sql } from 'drizzle-orm'
import { idSchema, insertIds } from '@snoflax/drizzle/zod'
import { createInsertSchema } from 'drizzle-zod'
import { z } from 'zod'
