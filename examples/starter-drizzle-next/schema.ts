import { flax, prefixed } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/pg-core'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'

/** Checks the ids that requests bring. */
export const orderId = prefixed(flax, 'ord')

export const customers = pgTable('customers', {
  id: flaxId({ prefix: 'cus' }).primaryKey(),
  name: text().notNull().unique(),
})

export const orders = pgTable('orders', {
  id: flaxId({ prefix: 'ord' }).primaryKey(),
  customerId: flaxId.ref('customer_id', () => customers.id).notNull(),
  total: integer().notNull(),
})
