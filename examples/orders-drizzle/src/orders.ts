import { type SnoId, sno } from '@snoflax/core'
import { createdBetween, keyset } from '@snoflax/drizzle/pg-core'
import { and, eq } from 'drizzle-orm'
import type { NewOrder, Order, OrdersQuery } from 'example-orders-web'
import { db } from './database.js'
import { customers, orders } from './schema.js'

const SHOWN = { columns: { customerId: false }, with: { customer: true } } as const

/** `createdAt` is read from the id; it is not a column. */
const withTime = <Row extends { readonly id: SnoId }>(order: Row) => ({
  ...order,
  createdAt: sno.time(order.id),
})

export async function listOrders({ created, customerId, after, take }: OrdersQuery): Promise<Order[]> {
  const page = keyset(orders.id, { after, order: 'desc' })
  const found = await db.query.orders.findMany({
    ...SHOWN,
    where: and(
      page.where,
      created && createdBetween(orders.id, created.from, created.to),
      customerId && eq(orders.customerId, customerId),
    ),
    orderBy: page.orderBy,
    limit: take,
  })
  return found.map(withTime)
}

export async function findOrder(id: SnoId): Promise<Order | undefined> {
  const found = await db.query.orders.findFirst({ ...SHOWN, where: eq(orders.id, id) })
  return found && withTime(found)
}

export async function placeOrder(order: NewOrder): Promise<Order | undefined> {
  const [customer] = await db.select().from(customers).where(eq(customers.id, order.customerId))
  if (!customer) return undefined
  const [placed] = await db.insert(orders).values(order).returning()
  return placed && findOrder(placed.id)
}
