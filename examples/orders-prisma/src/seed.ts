import { inventOrders } from 'example-orders-web'
import { db, orderIds } from './database.js'

/** Fills the database with orders of the past, which bring their ids along. Answers how many. */
export async function seed(): Promise<number> {
  const { customers, orders } = inventOrders(orderIds)
  await db.customer.createMany({ data: customers })
  await db.order.createMany({ data: orders })
  return orders.length
}
