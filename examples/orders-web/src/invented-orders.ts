import { type FlaxId, flax, type SnoGenerator, type SnoId } from '@snoflax/core'
import { DAY_MS, DAYS } from './days.js'
import type { NewOrder } from './orders.js'

const CUSTOMERS = ['Ada Lovelace', 'Café Zürich', 'Fish & Chips <Ltd>', "Miles O'Brien", 'Ōsaka Roasters']
const ITEMS = ['Espresso beans, 1 kg', 'Paper filters, 100', 'Hand grinder', 'Moka pot', 'Cups, set of 6']

export interface Invented {
  readonly customers: { readonly id: FlaxId; readonly name: string }[]
  readonly orders: (NewOrder & { readonly id: SnoId })[]
}

/** Past rows: four weeks of orders up to now, each with an id of its time. */
export function inventOrders(orderIds: SnoGenerator, now = Date.now()): Invented {
  const today = now - (now % DAY_MS)
  const opening = new Date(today - DAYS * DAY_MS)
  const customers = CUSTOMERS.map((name) => ({ id: flax.generateAt(opening), name }))
  const orders = momentsUntil(today)
    .filter((moment) => moment <= now)
    .map((moment, index) => ({
      id: orderIds.generateAt(moment),
      customerId: turn(customers, index * 7 + Math.floor(index / 3)).id,
      item: turn(ITEMS, index * 3 + Math.floor(index / 5)),
      cents: 450 + ((index * 1979) % 9000),
    }))
  return { customers, orders }
}

/** Times up to the end of the day, in order: 20 to 31 a day, the first at midnight. */
function momentsUntil(today: number): number[] {
  return Array.from({ length: DAYS }, (_, index) => {
    const count = 20 + ((index * 5) % 12)
    const midnight = today - (DAYS - 1 - index) * DAY_MS
    return Array.from({ length: count }, (_, order) => midnight + Math.floor((order * DAY_MS) / count))
  }).flat()
}

const turn = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item
