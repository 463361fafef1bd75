import { inventOrders } from 'example-orders-web'
import { db } from './database.js'
import { customers, orderIds, orders } from './schema.js'

/** Fills the database with past orders, which have their own ids. Returns how many. */
export async function seed(): Promise<number> {
  const invented = inventOrders(orderIds)
  await db.insert(customers).values(invented.customers)
  await db.insert(orders).values(invented.orders)
  return invented.orders.length
}
