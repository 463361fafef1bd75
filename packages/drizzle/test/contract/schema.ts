import * as mysqlIds from '@snoflax/drizzle/mysql-core'
import * as pgIds from '@snoflax/drizzle/pg-core'
import * as sqliteIds from '@snoflax/drizzle/sqlite-core'
import type { Variant } from '@snoflax/test/contract'
import * as mysql from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { relations } from './version.js'

type Core = Pick<typeof pg, 'integer' | 'primaryKey' | 'text'> & {
  readonly table: typeof pg.pgTable
  readonly idColumn: typeof pgIds.idColumn
}

/** The contract's schema in PostgreSQL, with the ids of a variant. */
export const postgresSchema = (variant: Variant) =>
  schemaOf({ ...pg, table: pg.pgTable, idColumn: pgIds.idColumn }, variant)

/** The same in SQLite, whose builders are used in the same way. */
export const sqliteSchema = (variant: Variant) =>
  schemaOf({ ...sqlite, table: sqlite.sqliteTable, idColumn: sqliteIds.idColumn } as unknown as Core, variant)

const mysqlCore = {
  ...mysql,
  table: mysql.mysqlTable,
  idColumn: mysqlIds.idColumn,
  integer: mysql.int,
  // A text can't be unique.
  text: () => mysql.varchar({ length: 100 }),
} as unknown as Core

/** The same in MySQL. */
export const mysqlSchema = (variant: Variant) => schemaOf(mysqlCore, variant)

function schemaOf(core: Core, { family, storage, generator }: Variant) {
  const { table, integer, primaryKey, text } = core
  const id = core.idColumn(family)
  const key = () => id({ storage, generator }).primaryKey()

  const customers = table('customers', {
    id: key(),
    email: text().notNull().unique('customers_email_unique'),
    name: text().notNull(),
    traceId: id.plain('trace_id', { storage }),
    referrerId: id.ref('referrer_id').references((): pg.AnyPgColumn => customers.id),
  })
  const profiles = table('profiles', {
    id: key(),
    bio: text().notNull(),
    customerId: id
      .ref('customer_id')
      .notNull()
      .unique('profiles_customer_id_unique')
      .references(() => customers.id),
  })
  const orders = table('orders', {
    id: key(),
    total: integer().notNull(),
    customerId: id
      .ref('customer_id')
      .notNull()
      .references(() => customers.id),
  })
  const tags = table('tags', { id: key(), label: text().notNull().unique('tags_label_unique') })
  const orderLines = table(
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
  const ordersToTags = table(
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

/** The schema as the paths see it. */
export type Schema = ReturnType<typeof postgresSchema>
