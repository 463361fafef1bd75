import { inventOrders } from 'example-orders-web'
import { db } from './database.js'
import { orderIds } from './schema.js'

/** Fills the database with past orders, which have their own ids. Returns how many. */
export async function seed(): Promise<number> {
  const { customers, orders } = inventOrders(orderIds)
  const rows = orders.map(({ customerId, ...order }) => ({ ...order, customer_id: customerId }))
  await db.insertInto('customers').values(customers).execute()
  await db.insertInto('orders').values(rows).execute()
  return rows.length
}
