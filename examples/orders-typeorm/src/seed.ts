import { inventOrders } from 'example-orders-web'
import { db } from './database.js'
import { Customer, Order, orderIds } from './schema.js'

/** Fills the database with past orders, which have their own ids. Returns how many. */
export async function seed(): Promise<number> {
  const { customers, orders } = inventOrders(orderIds)
  await db.getRepository(Customer).insert(customers)
  await db
    .getRepository(Order)
    .insert(orders.map(({ customerId, ...order }) => ({ ...order, customer: { id: customerId } })))
  return orders.length
}
