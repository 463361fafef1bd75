// The types on Drizzle 1.0: compiled by `tsc -b`, with tsconfig.json beside it.
import { type FlaxId, flax, type Id, type SnoId } from '@snoflax/core'
import { flaxId as mysqlFlaxId } from '@snoflax/drizzle/mysql-core'
import { createdAfter, flaxId, snoId, typedIds } from '@snoflax/drizzle/pg-core'
import { flaxId as sqliteFlaxId } from '@snoflax/drizzle/sqlite-core'
import type { insertIds } from '@snoflax/drizzle/zod'
import { defineRelations, eq, sql } from 'drizzle-orm'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/node-postgres'
import { alias, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Equal<A, B>): void => {}

const customers = pgTable('customers', { id: flaxId().primaryKey(), tags: snoId.plain().array().notNull() })
const orders = pgTable('orders', {
  id: snoId({ meta: 2 }).primaryKey(),
  customerId: flaxId.ref('customer_id', () => customers.id),
  total: integer().notNull(),
})
const notes = sqliteTable('notes', {
  id: sqliteFlaxId({ storage: 'binary' }).primaryKey(),
  on: sqliteFlaxId.plain(),
})
const marks = mysqlTable('marks', { id: mysqlFlaxId().primaryKey(), on: mysqlFlaxId.plain() })

same<typeof customers.$inferSelect, { id: FlaxId; tags: SnoId[] }>(true)
same<typeof customers.$inferInsert, { id?: FlaxId; tags: SnoId[] }>(true)
same<typeof orders.$inferSelect, { id: SnoId; customerId: FlaxId | null; total: number }>(true)
const people = pgTable('people', {
  id: flaxId({ prefix: 'usr' }).primaryKey(),
  leadId: flaxId.ref('lead_id', () => teams.leadId),
})
const teams = pgTable('teams', {
  id: snoId('id', { prefix: 'tea', meta: 2 }).primaryKey(),
  leadId: flaxId.plain({ prefix: 'usr' }),
})

same<typeof people.$inferSelect, { id: Id<'usr'>; leadId: Id<'usr'> | null }>(true)
same<typeof teams.$inferInsert, { id?: Id<'tea'>; leadId?: Id<'usr'> | null }>(true)
same<typeof notes.$inferSelect, { id: FlaxId; on: FlaxId | null }>(true)
same<typeof marks.$inferSelect, { id: FlaxId; on: FlaxId | null }>(true)

const relations = defineRelations({ customers, orders }, (r) => ({
  orders: { customer: r.one.customers({ from: r.orders.customerId, to: r.customers.id }) },
}))
const db = drizzle('postgres://', { relations })
export const found = async (id: FlaxId, other: SnoId) => {
  // @ts-expect-error An id of another family.
  eq(customers.id, other)
  const [order] = await db.query.orders.findMany({ where: { customerId: id }, with: { customer: true } })
  same<
    typeof order,
    | { id: SnoId; customerId: FlaxId | null; total: number; customer: { id: FlaxId; tags: SnoId[] } | null }
    | undefined
  >(true)
}
const shops = pgTable('shops', { id: flaxId().primaryKey().$type<Id<'flax', 'shop'>>() })
const doors = pgTable('doors', { shopId: flaxId.ref(() => shops.id).notNull() })
same<typeof doors.$inferSelect, { shopId: Id<'flax', 'shop'> }>(true)
// @ts-expect-error A target of another family.
flaxId.ref(() => orders.id)
// @ts-expect-error A column without ids.
createdAfter(orders.total, 0)
same<keyof ReturnType<typeof insertIds<typeof orders>>, 'id' | 'customerId'>(true)

const rooms = typedIds(pgTable('rooms', { id: flaxId().primaryKey(), shopId: flaxId.ref(() => shops.id) }))
const beds = typedIds(
  pgTable('beds', { id: snoId().primaryKey(), roomId: flaxId.ref(() => rooms.id).notNull() }),
)
same<typeof rooms.$inferSelect, { id: Id<'flax', 'rooms'>; shopId: Id<'flax', 'shop'> | null }>(true)
same<typeof beds.$inferInsert, { id?: Id<'sno', 'beds'>; roomId: Id<'flax', 'rooms'> }>(true)
const typedNotes = typedIds(sqliteTable('notes', { id: sqliteFlaxId().primaryKey() }))
same<typeof typedNotes.$inferSelect, { id: Id<'flax', 'notes'> }>(true)
const typedMarks = typedIds(mysqlTable('marks', { id: mysqlFlaxId().primaryKey() }))
same<typeof typedMarks.$inferSelect, { id: Id<'flax', 'marks'> }>(true)
// @ts-expect-error An id of another table.
eq(alias(rooms, 'r').id, flax.generate<'shop'>())

// Branded ids in all forms of a relational `where`: plain, with operators, of relations, and within OR, AND and NOT.
const shop = typedIds(pgTable('shop', { id: flaxId({ prefix: 'shp' }).primaryKey(), name: text() }))
const sale = typedIds(
  pgTable('sale', {
    id: snoId().primaryKey(),
    shopId: flaxId.ref('shop_id', () => shop.id).notNull(),
    refundId: snoId.plain('refund_id'),
  }),
)
const saleRelations = defineRelations({ shop, sale }, (r) => ({
  shop: { sales: r.many.sale() },
  sale: { shop: r.one.shop({ from: r.sale.shopId, to: r.shop.id, optional: false }) },
}))
const { query } = drizzle('postgres://', { relations: saleRelations })
type ShopId = Id<'shp', 'shop'>
type SaleId = Id<'sno', 'sale'>

export const salesOf = async (id: ShopId, ids: ShopId[], saleId: SaleId, otherId: FlaxId) => {
  const [found] = await query.sale.findMany({
    where: { shopId: id, refundId: { isNull: true } },
    with: { shop: { columns: { id: true } } },
  })
  type Sale = { id: SaleId; shopId: ShopId; refundId: SnoId | null; shop: { id: ShopId } }
  same<typeof found, Sale | undefined>(true)
  await query.sale.findMany({ where: { shopId: { in: ids }, id: { gte: saleId, ne: saleId } } })
  await query.sale.findMany({
    where: { OR: [{ id: saleId }, { AND: [{ shopId: id }, { NOT: { id: saleId } }] }] },
  })
  await query.shop.findFirst({
    where: { sales: { id: { in: [saleId] } } },
    with: { sales: { where: { id: saleId } } },
  })
  await query.sale.findMany({ where: { shopId: sql.placeholder('id'), id: { eq: sql.placeholder('sale') } } })

  // @ts-expect-error An id of another family.
  await query.sale.findMany({ where: { shopId: otherId } })
  // @ts-expect-error Text that was not parsed.
  await query.sale.findMany({ where: { shopId: 'shp_Kpcan0M1FakODT4k' } })
  // @ts-expect-error An id of another table, of a relation.
  await query.sale.findMany({ where: { shop: { id: saleId } } })
  // @ts-expect-error An id of another table, of a nested relation.
  await query.shop.findMany({ with: { sales: { where: { id } } } })
}

const plainUsers = pgTable('users', { id: flaxId({ branded: false }).primaryKey() })
const plainOrders = pgTable('orders', {
  id: snoId({ accept: /x{3}/ }).primaryKey(),
  userId: flaxId.ref('user_id', () => plainUsers.id).notNull(),
})
same<typeof plainOrders.$inferSelect, { id: string; userId: string }>(true)
createdAfter(plainUsers.id, 0)
