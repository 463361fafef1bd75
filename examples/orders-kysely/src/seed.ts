import { inventOrders } from 'example-orders-web'
import { db } from './database.js'
import { type CustomerId, type OrderId, orderIds } from './schema.js'

/** Fills the database with past orders, which have their own ids. Returns how many. */
export async function seed(): Promise<number> {
  const { customers, orders } = inventOrders(orderIds)
  const rows = orders.map(({ id, customerId, ...order }) => ({
    ...order,
    id: id as OrderId,
    customer_id: customerId as CustomerId,
  }))
  await db
    .insertInto('customers')
    .values(customers.map(({ id, name }) => ({ id: id as CustomerId, name })))
    .execute()
  await db.insertInto('orders').values(rows).execute()
  return rows.length
}
