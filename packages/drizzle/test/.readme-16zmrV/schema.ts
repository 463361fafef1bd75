import { flaxId, snoId } from '@snoflax/drizzle/pg-core'
import { relations } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'

export const customers = pgTable('customers', {
  id: flaxId({ prefix: 'cus' }).primaryKey(),                     // cus_Kpcan0M1FakODT4k
  name: text().notNull(),
})
export const orders = pgTable('orders', {
  id: snoId({ meta: 2 }).primaryKey(),                            // 9q7k4h922d78w222
  customerId: flaxId.ref('customer_id', () => customers.id).notNull(), // its target's prefix and storage
  traceId: snoId.plain('trace_id'),                               // not generated
  total: integer().notNull(),
})
export const customerRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
export const orderRelations = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
}))

export const events = pgTable('events', {
  id: flaxId({ default: 'database' }).primaryKey(),               // DEFAULT snoflax.flax_generate_text()
})

