// The types on Drizzle 1.0: compiled by `tsc -b`, with tsconfig.json beside it.
import type { FlaxId, Id, SnoId } from '@snoflax/core'
import { flaxId as mysqlFlaxId } from '@snoflax/drizzle/mysql-core'
import { createdAfter, flaxId, snoId } from '@snoflax/drizzle/pg-core'
import { flaxId as sqliteFlaxId } from '@snoflax/drizzle/sqlite-core'
import type { insertIds } from '@snoflax/drizzle/zod'
import { defineRelations, eq } from 'drizzle-orm'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable } from 'drizzle-orm/pg-core'
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
