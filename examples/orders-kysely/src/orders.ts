import type { SnoId } from '@snoflax/core'
import { createdAt, createdBetween, keyset } from '@snoflax/kysely'
import type { NewOrder, Order, OrdersQuery } from 'example-orders-web'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import { db } from './database.js'
import type { CustomerId, OrderId } from './schema.js'

/** `createdAt` is read from the id; it is not a column. */
const shown = () =>
  db.selectFrom('orders').select((eb) => [
    'orders.id',
    'item',
    'cents',
    createdAt('orders.id').as('createdAt'),
    jsonObjectFrom(
      eb
        .selectFrom('customers')
        .select(['customers.id', 'customers.name'])
        .whereRef('customers.id', '=', 'orders.customer_id'),
    )
      .$notNull()
      .as('customer'),
  ])

export function listOrders({ created, customerId, after, take }: OrdersQuery): Promise<Order[]> {
  return shown()
    .$if(created !== undefined, (query) =>
      query.where(createdBetween('orders.id', created?.from ?? 0, created?.to ?? 0)),
    )
    .$if(customerId !== undefined, (query) => query.where('customer_id', '=', customerId as CustomerId))
    .$call(keyset('orders.id', { after, order: 'desc', take }))
    .execute()
}

export function findOrder(id: SnoId): Promise<Order | undefined> {
  return shown()
    .where('orders.id', '=', id as OrderId)
    .executeTakeFirst()
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
