import { flaxId, snoId } from '@snoflax/drizzle/pg-core'
import { relations } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'

export const customers = pgTable('customers', {
  id: flaxId({ prefix: 'cus' }).primaryKey(),                     // generated on insert: cus_Kpcan0M1FakODT4k
  name: text().notNull(),
})
export const orders = pgTable('orders', {
  id: snoId({ meta: 2 }).primaryKey(),                            // 9q7k4h922d78w222, with a byte of your own
  customerId: flaxId.ref('customer_id', () => customers.id).notNull(), // its target's prefix, type and storage
  traceId: snoId.plain('trace_id'),                               // neither generated nor a reference
  total: integer().notNull(),
})
export const customerRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
export const orderRelations = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
}))

import { flake } from '@snoflax/core'
import { flakeId } from '@snoflax/drizzle/pg-core'

const jobIds = flake.generator({ datacenter: 1, worker: 2 })
export const jobs = pgTable('jobs', { id: flakeId({ generator: jobIds }).primaryKey() })

import { typedIds } from '@snoflax/drizzle/pg-core'

export const shops = typedIds(pgTable('shops', { id: flaxId().primaryKey() })) // an Id<'flax', 'shops'>
export const doors = typedIds(
  pgTable('doors', {
    id: flaxId().primaryKey(),
    shopId: flaxId.ref('shop_id', () => shops.id).notNull(), // an Id<'flax', 'shops'>
  }),
)

export const events = pgTable('events', {
  id: flaxId({ default: 'database' }).primaryKey(),               // DEFAULT snoflax.flax_generate_text()
})

import { idColumn } from '@snoflax/drizzle/pg-core'

const messageId = idColumn(flake.withEpoch(1_420_070_400_000))
export const messages = pgTable('messages', { id: messageId.plain().primaryKey() })

import { flaxId as sqliteFlaxId } from '@snoflax/drizzle/sqlite-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'

export const notes = sqliteTable('notes', { id: sqliteFlaxId({ storage: 'binary' }).primaryKey() })

