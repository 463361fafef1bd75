// The programs of the README's section on Drizzle 1.0: readme.test.ts compares them.
import type { Id, SnoId } from '@snoflax/core'
import { createdAfter, flaxId, keyset, snoId } from '@snoflax/drizzle/pg-core'
import { defineRelations, EmptyFilter } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'

const customers = pgTable('customers', { id: flaxId({ prefix: 'cus' }).primaryKey() })
const orders = pgTable('orders', {
  id: snoId({ meta: 2 }).primaryKey(),
  customerId: flaxId.ref('customer_id', () => customers.id).notNull(),
})
declare const client: Pool
declare const ada: typeof customers.$inferSelect
declare const yesterday: Date
declare const after: SnoId | undefined

const relations = defineRelations({ customers, orders }, (r) => ({
  orders: { customer: r.one.customers({ from: r.orders.customerId, to: r.customers.id }) },
  customers: { orders: r.many.orders() },
}))
const db = drizzle({ client, relations })
const found = await db.query.orders.findMany({
  where: { customerId: ada.id, RAW: (order) => createdAfter(order.id, yesterday) },
  with: { customer: true },
})
const page = await db.query.orders.findMany({
  where: { RAW: (order) => keyset(order.id, { after }).where ?? EmptyFilter }, // of drizzle-orm
  orderBy: (order) => keyset(order.id).orderBy,
  limit: 20,
})

export const ordersOf = (id: Id<'cus'>, some: SnoId[]) =>
  db.query.orders.findMany({
    where: {
      customerId: id, // a SnoId, an Id<'usr'> or an unparsed string does not compile
      OR: [{ id: { in: some } }, { customer: { id: { ne: id } } }],
    },
    with: { customer: true },
  })

export { found, page }
