import type { SnoId } from '@snoflax/core'
import { keyset } from '@snoflax/prisma-extension'
import type { NewOrder, Order, OrdersQuery } from 'example-orders-web'
import { db } from './database.js'
import { createdBetween } from './generated/snoflax/index.js'

const SHOWN = { include: { customer: true }, omit: { customerId: true } } as const

export function listOrders({ created, customerId, after, take }: OrdersQuery): Promise<Order[]> {
  const page = keyset({ after, order: 'desc', take })
  return db.order.findMany({
    ...page,
    ...SHOWN,
    where: {
      AND: [
        page.where,
        created ? { id: createdBetween('Order.id', created.from, created.to) } : {},
        customerId ? { customerId } : {},
      ],
    },
  })
}

export function findOrder(id: SnoId): Promise<Order | null> {
  return db.order.findUnique({ ...SHOWN, where: { id } })
}

export async function placeOrder({ customerId, item, cents }: NewOrder): Promise<Order | undefined> {
  const customer = await db.customer.findUnique({ where: { id: customerId } })
  if (!customer) return undefined
  return db.order.create({ ...SHOWN, data: { customer: { connect: { id: customerId } }, item, cents } })
}
