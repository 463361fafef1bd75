import { idColumn } from '@snoflax/drizzle/pg-core'
import type { Variant } from '@snoflax/test/contract'
import { type AnyPgColumn, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { relations } from './version.js'

/** The contract's schema in PostgreSQL, with the ids of a variant. */
export function postgresSchema({ family, storage, generator }: Variant) {
  const id = idColumn(family)
  const key = () => id({ storage, generator }).primaryKey()

  const customers = pgTable('customers', {
    id: key(),
    email: text().notNull().unique('customers_email_unique'),
    name: text().notNull(),
    traceId: id.plain('trace_id', { storage }),
    referrerId: id.ref('referrer_id').references((): AnyPgColumn => customers.id),
  })
  const profiles = pgTable('profiles', {
    id: key(),
    bio: text().notNull(),
    customerId: id
      .ref('customer_id')
      .notNull()
      .unique('profiles_customer_id_unique')
      .references(() => customers.id),
  })
  const orders = pgTable('orders', {
    id: key(),
    total: integer().notNull(),
    customerId: id
      .ref('customer_id')
      .notNull()
      .references(() => customers.id),
  })
  const tags = pgTable('tags', { id: key(), label: text().notNull().unique('tags_label_unique') })
  const orderLines = pgTable(
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
  const ordersToTags = pgTable(
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

/** The schema as the paths see it: the builders of the other dialects are used in the same way. */
export type Schema = ReturnType<typeof postgresSchema>
