import { type SnoId, sno } from '@snoflax/core'
import type { NewOrder, Order, OrdersQuery } from 'example-orders-web'
import { db } from './database.ts'

const orders = db.orm.Order.include('customer')

type Found = Omit<Order, 'createdAt'> & { readonly customerId: unknown }
const shown = ({ customerId: _, ...order }: Found): Order => ({ ...order, createdAt: sno.time(order.id) })

export async function listOrders({ created, customerId, after, take }: OrdersQuery): Promise<Order[]> {
  const inOrder = orders.orderBy((order) => order.id.desc())
  const page = after ? inOrder.cursor({ id: after }) : inOrder
  const ofTime = created ? page.where((order) => order.id.createdBetween(created.from, created.to)) : page
  const wanted = customerId ? ofTime.where({ customerId }) : ofTime
  return (await wanted.limit(take).all()).map(shown)
}

export async function findOrder(id: SnoId): Promise<Order | undefined> {
  const [order] = await orders.where({ id }).all()
  return order && shown(order)
}

export async function placeOrder({ customerId, item, cents }: NewOrder): Promise<Order | undefined> {
  if (!(await db.orm.Customer.first({ id: customerId }))) return undefined
  const { id } = await db.orm.Order.create({
    item,
    cents,
    customer: (customer) => customer.connect({ id: customerId }),
  })
  return findOrder(id)
}
