import { idColumn } from '@snoflax/drizzle/sqlite-core'
import type { Variant } from '@snoflax/test/contract'
import { type AnySQLiteColumn, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { relations } from './version.js'

/** The contract's schema in SQLite, with the ids of a variant. */
export function sqliteSchema({ family, storage, generator }: Variant) {
  const id = idColumn(family)
  const key = () => id({ storage, generator }).primaryKey()

  const customers = sqliteTable('customers', {
    id: key(),
    email: text().notNull().unique('customers_email_unique'),
    name: text().notNull(),
    traceId: id.plain('trace_id', { storage }),
    referrerId: id.ref('referrer_id').references((): AnySQLiteColumn => customers.id),
  })
  const profiles = sqliteTable('profiles', {
    id: key(),
    bio: text().notNull(),
    customerId: id
      .ref('customer_id')
      .notNull()
      .unique('profiles_customer_id_unique')
      .references(() => customers.id),
  })
  const orders = sqliteTable('orders', {
    id: key(),
    total: integer().notNull(),
    customerId: id
      .ref('customer_id')
      .notNull()
      .references(() => customers.id),
  })
  const tags = sqliteTable('tags', { id: key(), label: text().notNull().unique('tags_label_unique') })
  const orderLines = sqliteTable(
    'order_lines',
    {
      orderId: id
        .ref('order_id')
        .notNull()
        .references(() => orders.id),
      position: integer().notNull(),
      quantity: integer().notNull(),
    },
    (line) => [primaryKey({ columns: [line.orderId, line.position] })],
  )
  const ordersToTags = sqliteTable(
    'orders_to_tags',
    {
      orderId: id
        .ref('order_id')
        .notNull()
        .references(() => orders.id),
      tagId: id
        .ref('tag_id')
        .notNull()
        .references(() => tags.id),
    },
    (tie) => [primaryKey({ columns: [tie.orderId, tie.tagId] })],
  )

  const customerRelations = relations(customers, ({ one, many }) => ({
    referrer: one(customers, { fields: [customers.referrerId], references: [customers.id] }),
    profile: one(profiles),
    orders: many(orders),
  }))
  const profileRelations = relations(profiles, ({ one }) => ({
    customer: one(customers, { fields: [profiles.customerId], references: [customers.id] }),
  }))
  const orderRelations = relations(orders, ({ one, many }) => ({
    customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
    lines: many(orderLines),
    ties: many(ordersToTags),
  }))
  const lineRelations = relations(orderLines, ({ one }) => ({
    order: one(orders, { fields: [orderLines.orderId], references: [orders.id] }),
  }))
  const tieRelations = relations(ordersToTags, ({ one }) => ({
    order: one(orders, { fields: [ordersToTags.orderId], references: [orders.id] }),
    tag: one(tags, { fields: [ordersToTags.tagId], references: [tags.id] }),
  }))
  return {
    customers,
    profiles,
    orders,
    tags,
    orderLines,
    ordersToTags,
    customerRelations,
    profileRelations,
    orderRelations,
    lineRelations,
    tieRelations,
  }
}
