import type { SnoId } from '@snoflax/core'
import { createdAt, createdBetween, keyset } from '@snoflax/drizzle/pg-core'
import { and, eq } from 'drizzle-orm'
import type { NewOrder, Order, OrdersQuery } from 'example-orders-web'
import { db } from './database.js'
import { customers, orders } from './schema.js'

/** `createdAt` is read from the id; it is not a column. */
const SHOWN = {
  columns: { customerId: false },
  extras: { createdAt: createdAt(orders.id).as('created_at') },
  with: { customer: true },
} as const

export function listOrders({ created, customerId, after, take }: OrdersQuery): Promise<Order[]> {
  const page = keyset(orders.id, { after, order: 'desc' })
  return db.query.orders.findMany({
    ...SHOWN,
    where: and(
      page.where,
      created && createdBetween(orders.id, created.from, created.to),
      customerId && eq(orders.customerId, customerId),
    ),
    orderBy: page.orderBy,
    limit: take,
  })
}

export function findOrder(id: SnoId): Promise<Order | undefined> {
  return db.query.orders.findFirst({ ...SHOWN, where: eq(orders.id, id) })
}

export async function placeOrder(order: NewOrder): Promise<Order | undefined> {
  const [customer] = await db.select().from(customers).where(eq(customers.id, order.customerId))
  if (!customer) return undefined
  const [placed] = await db.insert(orders).values(order).returning()
  return placed && findOrder(placed.id)
}
