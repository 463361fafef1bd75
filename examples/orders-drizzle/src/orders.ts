import type { FlaxId, SnoId } from '@snoflax/core'
import { createdAt, createdBetween, keyset } from '@snoflax/drizzle/pg-core'
import { and, eq } from 'drizzle-orm'
import type { PgliteDatabase } from 'drizzle-orm/pglite'
import * as schema from './schema.js'

const { customers, orders } = schema

export type Db = PgliteDatabase<typeof schema>

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
  readonly createdAt: Date
}

export interface Page {
  readonly orders: Order[]
  /** What `after` is for the next page; undefined on the last one. */
  readonly next: SnoId | undefined
}

export const DAY_MS = 86_400_000
const TAKE = 20

/** Read from the id: there is no such column. */
const WITH_TIME = {
  columns: { customerId: false },
  extras: { createdAt: createdAt(orders.id).as('created_at') },
  with: { customer: true },
} as const

export async function listOrders(db: Db, { day, customer, after }: Filter): Promise<Page> {
  const page = keyset(orders.id, { after, order: 'desc' })
  const found = await db.query.orders.findMany({
    ...WITH_TIME,
    where: and(
      page.where,
      day && createdBetween(orders.id, day, new Date(day.getTime() + DAY_MS)),
      customer && eq(orders.customerId, customer),
    ),
    orderBy: page.orderBy,
    // One more than is shown tells whether there is a next page.
    limit: TAKE + 1,
  })
  const shown = found.slice(0, TAKE)
  return { orders: shown, next: found.length > TAKE ? shown.at(-1)?.id : undefined }
}

export function findOrder(db: Db, id: SnoId): Promise<Order | undefined> {
  return db.query.orders.findFirst({ ...WITH_TIME, where: eq(orders.id, id) })
}

export interface NewOrder {
  readonly customer: FlaxId
  readonly item: string
  readonly cents: number
}

/** Undefined if there is no such customer. */
export async function placeOrder(db: Db, { customer, item, cents }: NewOrder): Promise<Order | undefined> {
  const [known] = await db.select().from(customers).where(eq(customers.id, customer))
  if (!known) return undefined
  const [placed] = await db.insert(orders).values({ customerId: customer, item, cents }).returning()
  return placed && findOrder(db, placed.id)
}
