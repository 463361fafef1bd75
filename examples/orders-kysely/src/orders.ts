import type { SnoId } from '@snoflax/core'
import type { NewOrder, Order, OrdersQuery } from 'example-orders-web'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import { db } from './database.js'
import { type CustomerId, ids, type OrderId } from './schema.js'

const shown = () =>
  db.selectFrom('orders').select((eb) => [
    'orders.id',
    'item',
    'cents',
    jsonObjectFrom(
      eb
        .selectFrom('customers')
        .select(['customers.id', 'customers.name'])
        .whereRef('customers.id', '=', 'orders.customer_id'),
    )
      .$notNull()
      .as('customer'),
  ])

/** `createdAt` is read from the id; it is not a column. */
const dated = <Row extends { id: OrderId }>(order: Row): Row & { createdAt: Date } => ({
  ...order,
  createdAt: ids.createdAt('orders.id', order.id),
})

export async function listOrders({ created, customerId, after, take }: OrdersQuery): Promise<Order[]> {
  const orders = await shown()
    .$if(created !== undefined, (query) =>
      query.where(ids.createdBetween('orders.id', created?.from ?? 0, created?.to ?? 0)),
    )
    .$if(customerId !== undefined, (query) => query.where('customer_id', '=', customerId as CustomerId))
    .$call(ids.keyset('orders.id', { after: after as OrderId | undefined, order: 'desc', take }))
    .execute()
  return orders.map(dated)
}

export async function findOrder(id: SnoId): Promise<Order | undefined> {
  const order = await shown()
    .where('orders.id', '=', id as OrderId)
    .executeTakeFirst()
  return order && dated(order)
}

export async function placeOrder({ customerId, item, cents }: NewOrder): Promise<Order | undefined> {
  const customer = await db
    .selectFrom('customers')
    .select('id')
    .where('id', '=', customerId as CustomerId)
    .executeTakeFirst()
  if (!customer) return undefined
  const placed = await db
    .insertInto('orders')
    .values({ customer_id: customerId as CustomerId, item, cents })
    .returning('id')
    .executeTakeFirstOrThrow()
  return findOrder(placed.id)
}
