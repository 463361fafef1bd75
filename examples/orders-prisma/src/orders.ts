import { type FlaxId, type SnoId, sno } from '@snoflax/core'
import { keyset } from '@snoflax/prisma-extension'
import { db } from './database.js'

/** Which orders to list, newest first. */
export interface Filter {
  /** Midnight, UTC. */
  readonly day?: Date | undefined
  readonly customer?: FlaxId | undefined
  /** The last order of the page before. */
  readonly after?: SnoId | undefined
}

export interface Order {
  readonly id: SnoId
  readonly customer: { readonly id: FlaxId; readonly name: string }
  readonly item: string
  readonly cents: number
  /** Read from the id: there is no such column. */
  readonly createdAt: Date
}

export interface Page {
  readonly orders: Order[]
  /** What `after` is for the next page; undefined on the last one. */
  readonly next: SnoId | undefined
}

export const DAY_MS = 86_400_000
const TAKE = 20

const SHOWN = { include: { customer: true }, omit: { customerId: true } } as const

export async function listOrders({ day, customer, after }: Filter): Promise<Page> {
  // One more than is shown tells whether there is a next page.
  const page = keyset({ after, order: 'desc', take: TAKE + 1 })
  const found = await db.order.findMany({
    ...page,
    ...SHOWN,
    where: {
      AND: [
        page.where,
        day ? { id: sno.range(day, new Date(day.getTime() + DAY_MS)) } : {},
        customer ? { customerId: customer } : {},
      ],
    },
  })
  const orders = found.slice(0, TAKE)
  return { orders, next: found.length > TAKE ? orders.at(-1)?.id : undefined }
}

export function findOrder(id: SnoId): Promise<Order | null> {
  return db.order.findUnique({ ...SHOWN, where: { id } })
}

export interface NewOrder {
  readonly customer: FlaxId
  readonly item: string
  readonly cents: number
}

/** Undefined if there is no such customer. */
export async function placeOrder({ customer, item, cents }: NewOrder): Promise<Order | undefined> {
  const known = await db.customer.findUnique({ where: { id: customer } })
  if (!known) return undefined
  return db.order.create({ ...SHOWN, data: { customer: { connect: { id: customer } }, item, cents } })
}
