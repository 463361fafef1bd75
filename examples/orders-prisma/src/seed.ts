import { inventOrders } from 'example-orders-web'
import { db, orderIds } from './database.js'

/** Fills the database with past orders, which have their own ids. Returns how many. */
export async function seed(): Promise<number> {
  const { customers, orders } = inventOrders(orderIds)
  await db.customer.createMany({ data: customers })
  await db.order.createMany({ data: orders })
  return orders.length
}
