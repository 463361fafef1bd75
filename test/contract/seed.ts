import type { Customer, Graph, Junction, Order } from './schema.js'
import type { Stored } from './stored.js'
import type { Variant } from './variant.js'

/** Rows to be read, of days long before any id that a test generates. */
export interface Seed {
  readonly customers: readonly Customer[]
  readonly graph: Graph
  /** Half-open, and the customers between them by the time of their ids. */
  readonly from: Date
  readonly to: Date
}

const FIRST_DAY = Date.UTC(2026, 0, 5, 9, 30)
const DAY_MS = 86_400_000
const CUSTOMERS = 8

/** Ids with the time of a day: bounds are ids too. */
const idOf = ({ family }: Variant, day: number, minute = 0) =>
  family.lowerBound(new Date(FIRST_DAY + day * DAY_MS + minute * 60_000))

/** Inserts the rows by plain SQL, and returns the results that every read must have. */
export async function plant(stored: Stored, variant: Variant, junction: Junction): Promise<Seed> {
  const customers = Array.from({ length: CUSTOMERS }, (_, day): Customer => {
    const id = idOf(variant, day)
    return {
      id,
      email: `seed${day}@example.org`,
      name: `Seed ${day}`,
      traceId: day % 3 === 0 ? null : idOf(variant, day, 5),
      referrerId: day % 2 === 0 ? null : idOf(variant, day - 1),
    }
  })
  const graph = graphOf(customers[3] as Customer, customers[2] as Customer, variant)
  for (const customer of customers) await insertCustomer(stored, customer)
  await insertBelow(stored, graph, junction)
  return { customers, graph, from: new Date(FIRST_DAY + 2 * DAY_MS), to: new Date(FIRST_DAY + 5 * DAY_MS) }
}

function graphOf(customer: Customer, referrer: Customer, variant: Variant): Graph {
  const tags = ['gift', 'express', 'fragile'].map((label, i) => ({ id: idOf(variant, 40 + i), label }))
  const order = (number: number, lines: number): Order => {
    const id = idOf(variant, 50 + number)
    return {
      id,
      customerId: customer.id,
      total: 100 + number,
      lines: Array.from({ length: lines }, (_, i) => ({
        orderId: id,
        position: i + 1,
        quantity: 10 * (i + 1),
      })),
      tags: tags.slice(0, number + 1),
    }
  }
  return {
    ...customer,
    referrer,
    profile: { id: idOf(variant, 30), customerId: customer.id, bio: 'Likes order' },
    orders: [order(0, 2), order(1, 1), order(2, 0)],
  }
}

async function insertCustomer(
  stored: Stored,
  { id, email, name, traceId, referrerId }: Customer,
): Promise<void> {
  const [key, trace_id, referrer_id] = [id, traceId, referrerId].map((one) => stored.storage.toDatabase(one))
  await stored.insert('customers', { id: key, email, name, trace_id, referrer_id })
}

async function insertBelow(stored: Stored, graph: Graph, junction: Junction): Promise<void> {
  const key = (id: string) => stored.storage.toDatabase(id)
  if (graph.profile) {
    const { id, customerId, bio } = graph.profile
    await stored.insert('profiles', { id: key(id), customer_id: key(customerId), bio })
  }
  const tags = new Map(graph.orders.flatMap((order) => order.tags).map((tag) => [tag.id, tag]))
  for (const { id, label } of tags.values()) await stored.insert('tags', { id: key(id), label })
  for (const order of graph.orders) {
    await stored.insert('orders', {
      id: key(order.id),
      customer_id: key(order.customerId),
      total: order.total,
    })
    for (const { position, quantity } of order.lines) {
      await stored.insert('order_lines', { order_id: key(order.id), position, quantity })
    }
    for (const tag of order.tags) {
      await stored.insert(junction.table, { [junction.order]: key(order.id), [junction.tag]: key(tag.id) })
    }
  }
}
