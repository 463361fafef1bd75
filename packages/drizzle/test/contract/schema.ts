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
  const { table, idColumn, integer, primaryKey, text } = core
  const key = () => idColumn(family, { storage, generator }).primaryKey()

  const customers = table('customers', {
    id: key(),
    email: text().notNull().unique('customers_email_unique'),
    name: text().notNull(),
    traceId: idColumn.plain('trace_id', family, { storage }),
    referrerId: idColumn.ref('referrer_id', (): pg.AnyPgColumn => customers.id, { branded: false }),
  })
  const profiles = table('profiles', {
    id: key(),
    bio: text().notNull(),
    customerId: idColumn
      .ref('customer_id', () => customers.id)
      .notNull()
      .unique('profiles_customer_id_unique'),
  })
  const orders = table('orders', {
    id: key(),
    total: integer().notNull(),
    customerId: idColumn.ref('customer_id', () => customers.id).notNull(),
  })
  const tags = table('tags', { id: key(), label: text().notNull().unique('tags_label_unique') })
  const orderLines = table(
    'order_lines',
    {
      orderId: idColumn.ref('order_id', () => orders.id).notNull(),
      position: integer().notNull(),
      quantity: integer().notNull(),
    },
    (line) => [primaryKey({ columns: [line.orderId, line.position] })],
  )
  const ordersToTags = table(
    'orders_to_tags',
    {
      orderId: idColumn.ref('order_id', () => orders.id).notNull(),
      tagId: idColumn.ref('tag_id', () => tags.id).notNull(),
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
