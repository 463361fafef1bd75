import type { NewCustomer, NewGraph } from './schema.js'

let made = 0

/** A customer that no other test has. */
export function freshCustomer(more: Partial<NewCustomer> = {}): NewCustomer {
  made++
  return { email: `fresh${made}@example.org`, name: `Fresh ${made}`, ...more }
}

/** A customer with profile, orders, lines and tags that no other test has. */
export function freshGraph(more: Partial<NewCustomer> = {}): NewGraph {
  const customer = freshCustomer(more)
  return {
    ...customer,
    profile: { bio: `Of ${customer.name}` },
    orders: [
      {
        total: made * 10,
        lines: [
          { position: 1, quantity: 3 },
          { position: 2, quantity: 5 },
        ],
        tags: [{ label: `red ${made}` }, { label: `blue ${made}` }],
      },
      { total: made * 10 + 1, lines: [{ position: 1, quantity: 1 }], tags: [{ label: `green ${made}` }] },
    ],
  }
}
