import { inventOrders } from 'example-orders-web'
import { db, orderIds } from './database.ts'

/** Fills an empty database with orders of the past, which bring their ids along. Answers how many there are. */
export async function seed(): Promise<number> {
  const { Customer, Order } = db.orm
  if (!(await Customer.first())) {
    const { customers, orders } = inventOrders(orderIds)
    await Customer.createAndCount(customers)
    await Order.createAndCount(orders)
  }
  const { count } = await Order.aggregate((each) => ({ count: each.count() }))
  return count
}
