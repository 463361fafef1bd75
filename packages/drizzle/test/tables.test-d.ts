import { type FlaxId, flax, type Id, type SnoId } from '@snoflax/core'
import { flaxId as mysqlFlaxId } from '@snoflax/drizzle/mysql-core'
import {
  createdAfter,
  createdBefore,
  createdBetween,
  flaxId,
  placeholder,
  snoId,
  typedIds,
} from '@snoflax/drizzle/pg-core'
import { flaxId as sqliteFlaxId, snoId as sqliteSnoId } from '@snoflax/drizzle/sqlite-core'
import { eq, relations } from 'drizzle-orm'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/node-postgres'
import { type AnyPgColumn, alias, pgSchema, pgTable, text } from 'drizzle-orm/pg-core'
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

test('times and placeholders are for id columns', () => {
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

const shops = typedIds(
  pgTable('shops', {
    id: flaxId().primaryKey(),
    ownerId: flaxId.ref('owner_id', (): AnyPgColumn => owners.id),
    traceId: flaxId.plain('trace_id'),
    name: text().notNull(),
  }),
)
const owners = typedIds(
  pgTable('owners', {
    id: flaxId().primaryKey().$type<Id<'flax', 'person'>>(),
    shopId: flaxId.ref('shop_id', () => shops.id).notNull(),
    bossId: flaxId.ref('boss_id', (): AnyPgColumn => owners.id),
  }),
)
const shopRelations = relations(shops, ({ many }) => ({ owners: many(owners) }))
const ownerRelations = relations(owners, ({ one }) => ({
  shop: one(shops, { fields: [owners.shopId], references: [shops.id] }),
}))
type ShopId = Id<'flax', 'shops'>

test('generated ids have the name of their table in their type', async () => {
  expectTypeOf<typeof shops.$inferSelect>().toEqualTypeOf<{
    id: ShopId
    ownerId: FlaxId | null
    traceId: FlaxId | null
    name: string
  }>()
  expectTypeOf<typeof shops.$inferInsert>().toEqualTypeOf<{
    id?: ShopId | undefined
    ownerId?: FlaxId | null | undefined
    traceId?: FlaxId | null | undefined
    name: string
  }>()
  expectTypeOf<typeof owners.$inferSelect>().toEqualTypeOf<{
    id: Id<'flax', 'person'>
    shopId: ShopId
    bossId: FlaxId | null
  }>()
  const inSchema = typedIds(pgSchema('crm').table('shops', { id: snoId().primaryKey() }))
  expectTypeOf<typeof inSchema.$inferSelect>().toEqualTypeOf<{ id: Id<'sno', 'crm.shops'> }>()
  const inSqlite = typedIds(sqliteTable('shops', { id: sqliteFlaxId().primaryKey() }))
  expectTypeOf<typeof inSqlite.$inferSelect>().toEqualTypeOf<{ id: ShopId }>()
  const inMysql = typedIds(mysqlTable('shops', { id: mysqlFlaxId().primaryKey() }))
  expectTypeOf<typeof inMysql.$inferSelect>().toEqualTypeOf<{ id: ShopId }>()
  // @ts-expect-error not a table
  typedIds(shops.id)

  const db = drizzle('postgres://', { schema: { shops, owners, shopRelations, ownerRelations } })
  const query = async (shop: ShopId, owner: Id<'flax', 'person'>) => {
    const other = alias(shops, 'other')
    eq(owners.shopId, shop)
    eq(other.id, shop)
    // @ts-expect-error an id of another table
    eq(owners.shopId, owner)
    // @ts-expect-error an id of another table
    eq(other.id, owner)
    createdAfter(shops.id, 0)
    expectTypeOf(await db.select({ id: other.id }).from(other)).toEqualTypeOf<{ id: ShopId }[]>()
    expectTypeOf(await db.insert(shops).values({ name: '' }).returning({ id: shops.id })).toEqualTypeOf<
      { id: ShopId }[]
    >()
    const found = await db.query.owners.findFirst({ columns: { id: true }, with: { shop: true } })
    expectTypeOf(found).toEqualTypeOf<
      { id: Id<'flax', 'person'>; shop: typeof shops.$inferSelect } | undefined
    >()
  }
  expectTypeOf(query).toBeFunction()
})
