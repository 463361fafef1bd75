import { flax } from '@snoflax/core'
import { db, orderIds } from './database.js'
import { DAY_MS } from './orders.js'

const CUSTOMERS = ['Ada Lovelace', 'Café Zürich', 'Fish & Chips <Ltd>', "Miles O'Brien", 'Ōsaka Roasters']
const ITEMS = ['Espresso beans, 1 kg', 'Paper filters, 100', 'Hand grinder', 'Moka pot', 'Cups, set of 6']
const DAYS = 28

/** Four weeks of orders up to now, each with an id of its moment. Answers how many. */
export async function seed(now = Date.now()): Promise<number> {
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
  await db.customer.createMany({ data: customers })
  await db.order.createMany({ data: orders })
  return orders.length
}

/** Moments up to the end of the day, in order: from 20 to 31 a day, the first at midnight. */
function momentsUntil(today: number): number[] {
  return Array.from({ length: DAYS }, (_, index) => {
    const count = 20 + ((index * 5) % 12)
    const midnight = today - (DAYS - 1 - index) * DAY_MS
    return Array.from({ length: count }, (_, order) => midnight + Math.floor((order * DAY_MS) / count))
  }).flat()
}

const turn = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item
