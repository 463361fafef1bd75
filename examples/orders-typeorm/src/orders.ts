import type { SnoId } from '@snoflax/core'
import { createdBetween, keyset } from '@snoflax/typeorm'
import type { NewOrder, OrdersQuery } from 'example-orders-web'
import { db } from './database.js'
import { Customer, Order } from './schema.js'

const customers = db.getRepository(Customer)
const orders = db.getRepository(Order)

export function listOrders({ created, customerId, after, take }: OrdersQuery): Promise<Order[]> {
  const where = {
    ...(created && { id: createdBetween(Order, 'id', created.from, created.to) }),
    ...(customerId && { customer: { id: customerId } }),
  }
  const page = keyset(Order, { order: 'desc', take, after, where })
  return orders.find({ ...page, relations: { customer: true } })
}

export function findOrder(id: SnoId): Promise<Order | null> {
  return orders.findOne({ where: { id }, relations: { customer: true } })
}

export async function placeOrder({ customerId, item, cents }: NewOrder): Promise<Order | undefined> {
  const customer = await customers.findOneBy({ id: customerId })
  return customer ? orders.save(orders.create({ customer, item, cents })) : undefined
}
