import { sno } from '@snoflax/core'
import { flaxId, snoId } from '@snoflax/drizzle/pg-core'
import { relations } from 'drizzle-orm'
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'

/** Generates the ids of orders. A second process needs another partition; see docs/leases.md. */
export const orderIds = sno.generator({ partition: 1 })

export const customers = pgTable('customers', {
  id: flaxId().primaryKey(),
  name: text().notNull(),
})

export const orders = pgTable(
  'orders',
  {
    id: snoId({ generator: orderIds }).primaryKey(),
    customerId: flaxId
      .ref('customer_id')
      .notNull()
      .references(() => customers.id),
    item: text().notNull(),
    cents: integer().notNull(),
  },
  ({ customerId, id }) => [index().on(customerId, id)],
)

export const orderRelations = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
}))
