import type { FlaxId, SnoId } from '@snoflax/core'
import { DAY_MS } from './days.js'
import type { Order, Orders } from './orders.js'

/** A visitor's request, as the page's links contain it. */
export interface Filter {
  /** Midnight, UTC. */
  readonly day?: Date | undefined
  readonly customerId?: FlaxId | undefined
  /** The last order of the previous page. */
  readonly after?: SnoId | undefined
}

export interface Listing {
  readonly orders: readonly Order[]
  /** `after` for the next page; undefined on the last one. */
  readonly next: SnoId | undefined
}

const PAGE = 20

export async function listingOf(orders: Orders, { day, customerId, after }: Filter): Promise<Listing> {
  const created = day && { from: day, to: new Date(day.getTime() + DAY_MS) }
  // Reads one more than it shows, to know whether there is a next page.
  const found = await orders.listOrders({ created, customerId, after, take: PAGE + 1 })
  const shown = found.slice(0, PAGE)
  return { orders: shown, next: found.length > PAGE ? shown.at(-1)?.id : undefined }
}
