import { idColumn } from '@snoflax/drizzle/mysql-core'
import type { Variant } from '@snoflax/test/contract'
import { type AnyMySqlColumn, int, mysqlTable, primaryKey, varchar } from 'drizzle-orm/mysql-core'
import { relations } from './version.js'

/** The contract's schema in MySQL, with the ids of a variant. */
export function mysqlSchema({ family, storage, generator }: Variant) {
  const id = idColumn(family)
  const key = () => id({ storage, generator }).primaryKey()

  const customers = mysqlTable('customers', {
    id: key(),
    email: varchar({ length: 100 }).notNull().unique('customers_email_unique'),
    name: varchar({ length: 100 }).notNull(),
    traceId: id.plain('trace_id', { storage }),
    referrerId: id.ref('referrer_id').references((): AnyMySqlColumn => customers.id),
  })
  const profiles = mysqlTable('profiles', {
    id: key(),
    bio: varchar({ length: 100 }).notNull(),
    customerId: id
      .ref('customer_id')
      .notNull()
      .unique('profiles_customer_id_unique')
      .references(() => customers.id),
  })
  const orders = mysqlTable('orders', {
    id: key(),
    total: int().notNull(),
    customerId: id
      .ref('customer_id')
      .notNull()
      .references(() => customers.id),
  })
  const tags = mysqlTable('tags', {
    id: key(),
    label: varchar({ length: 100 }).notNull().unique('tags_label_unique'),
  })
  const orderLines = mysqlTable(
    'order_lines',
    {
      orderId: id
        .ref('order_id')
        .notNull()
        .references(() => orders.id),
      position: int().notNull(),
      quantity: int().notNull(),
    },
    (line) => [primaryKey({ columns: [line.orderId, line.position] })],
  )
  const ordersToTags = mysqlTable(
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
