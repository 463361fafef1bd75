import { type FlaxId, type SnoId, sno } from '@snoflax/core'
import { createdBetween, keysetPage } from '@snoflax/typeorm'
import type { DataSource } from 'typeorm'
import { Customer, Order } from './schema.js'

/** Which orders to list, newest first. */
export interface Filter {
  /** Midnight, UTC. */
  readonly day?: Date | undefined
  readonly customer?: FlaxId | undefined
  /** The last order of the page before. */
  readonly after?: SnoId | undefined
}

export interface Page {
  readonly orders: Order[]
  /** What `after` is for the next page; undefined on the last one. */
  readonly next: SnoId | undefined
}

export const DAY_MS = 86_400_000
const TAKE = 20

export async function listOrders(db: DataSource, { day, customer, after }: Filter): Promise<Page> {
  const where = {
    ...(day && { id: createdBetween(sno, day, new Date(day.getTime() + DAY_MS)) }),
    ...(customer && { customer: { id: customer } }),
  }
  // One more than is shown tells whether there is a next page.
  const page = keysetPage<Order>({ order: 'DESC', take: TAKE + 1, after, where })
  const found = await db.getRepository(Order).find({ ...page, relations: { customer: true } })
  const orders = found.slice(0, TAKE)
  return { orders, next: found.length > TAKE ? orders.at(-1)?.id : undefined }
}

export function findOrder(db: DataSource, id: SnoId): Promise<Order | null> {
  return db.getRepository(Order).findOne({ where: { id }, relations: { customer: true } })
}

export interface NewOrder {
  readonly customer: FlaxId
  readonly item: string
  readonly cents: number
}

/** Undefined if there is no such customer. */
export async function placeOrder(db: DataSource, order: NewOrder): Promise<Order | undefined> {
  const customer = await db.getRepository(Customer).findOneBy({ id: order.customer })
  if (!customer) return undefined
  const orders = db.getRepository(Order)
  return orders.save(orders.create({ ...order, customer }))
}
