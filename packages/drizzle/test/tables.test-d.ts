import { type FlaxId, flax, type Id, type SnoId } from '@snoflax/core'
import {
  createdAfter,
  createdBefore,
  createdBetween,
  flaxId,
  placeholder,
  snoId,
} from '@snoflax/drizzle/pg-core'
import { flaxId as sqliteFlaxId, snoId as sqliteSnoId } from '@snoflax/drizzle/sqlite-core'
import { eq } from 'drizzle-orm'
import { type AnyPgColumn, pgTable, text } from 'drizzle-orm/pg-core'
import { type AnySQLiteColumn, sqliteTable } from 'drizzle-orm/sqlite-core'
import { expectTypeOf, test } from 'vitest'

type CustomerId = Id<'flax', 'customer'>

const customers = pgTable('customers', {
  id: flaxId().primaryKey().$type<CustomerId>(),
  name: text().notNull(),
  referrerId: flaxId.ref('referrer_id', (): AnyPgColumn => customers.id),
  past: flaxId.plain().array().notNull(),
})
const products = pgTable('products', { id: flaxId().primaryKey().$type<Id<'flax', 'product'>>() })
const orders = pgTable('orders', {
  id: snoId().primaryKey(),
  customerId: flaxId.ref('customer_id', () => customers.id, { onDelete: 'cascade' }).notNull(),
  productId: flaxId.ref(() => products.id),
})

test('a reference has the type of its target', () => {
  expectTypeOf<typeof orders.$inferSelect>().toEqualTypeOf<{
    id: SnoId
    customerId: CustomerId
    productId: Id<'flax', 'product'> | null
  }>()
  expectTypeOf<typeof customers.$inferSelect.referrerId>().toEqualTypeOf<FlaxId | null>()
  const inSqlite = sqliteTable('t', {
    id: sqliteFlaxId().primaryKey(),
    of: sqliteFlaxId.ref((): AnySQLiteColumn => inSqlite.id),
  })
  // @ts-expect-error an id of another family
  sqliteSnoId.ref(() => inSqlite.id)
  // @ts-expect-error an id of another family
  flaxId.ref('order_id', () => orders.id)
  // @ts-expect-error a column without ids
  flaxId.ref('order_id', () => customers.name)
})

test('ids of two tables do not mix', () => {
  const product = flax.generate<'product'>()
  // @ts-expect-error an id of another table
  eq(orders.customerId, product)
  eq(orders.customerId, customers.id)
  eq(orders.productId, product)
})

test('times and placeholders are of columns with ids', () => {
  createdBetween(customers.id, 0, 1)
  createdAfter(orders.productId, 0)
  placeholder(customers.past, 'past')
  // @ts-expect-error a column without ids
  createdBetween(customers.name, 0, 1)
  // @ts-expect-error a column without ids
  createdAfter(customers.name, 0)
  // @ts-expect-error a column without ids
  createdBefore(customers.name, 0)
  // @ts-expect-error a column without ids
  placeholder(customers.name, 'name')
})
