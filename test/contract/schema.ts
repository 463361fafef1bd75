/**
 * The one schema that every ORM builds for the contract. Names are those in the database; an ORM's own names
 * may differ.
 *
 * ```
 * customers    id, email unique, name, trace_id null, referrer_id null → customers
 * profiles     id, bio, customer_id unique → customers
 * orders       id, total, customer_id → customers
 * tags         id, label unique
 * order_lines  (order_id → orders, position), quantity
 * orders ⟷ tags through a junction table, whose names the ORM may choose
 * ```
 *
 * Every id is one family's, in one storage. `trace_id` is an id that is neither a key nor generated;
 * all other `id` are generated.
 */
export interface Junction {
  readonly table: string
  readonly order: string
  readonly tag: string
}

/** The id columns, without the junction's. */
export const ID_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['customers', 'id'],
  ['customers', 'trace_id'],
  ['customers', 'referrer_id'],
  ['profiles', 'id'],
  ['profiles', 'customer_id'],
  ['orders', 'id'],
  ['orders', 'customer_id'],
  ['tags', 'id'],
  ['order_lines', 'order_id'],
]

export interface NewCustomer {
  readonly id?: string
  readonly email: string
  readonly name: string
  readonly traceId?: string | null
  readonly referrerId?: string | null
}

export interface Customer {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly traceId: string | null
  readonly referrerId: string | null
}

export interface NewOrder {
  readonly total: number
  readonly lines: readonly { readonly position: number; readonly quantity: number }[]
  readonly tags: readonly { readonly label: string }[]
}

/** A customer with all related rows, without ids. */
export interface NewGraph extends NewCustomer {
  readonly profile: { readonly bio: string }
  readonly orders: readonly NewOrder[]
}

export interface Order {
  readonly id: string
  readonly customerId: string
  readonly total: number
  readonly lines: readonly {
    readonly orderId: string
    readonly position: number
    readonly quantity: number
  }[]
  readonly tags: readonly { readonly id: string; readonly label: string }[]
}

export interface Graph extends Customer {
  readonly referrer: Customer | null
  readonly profile: { readonly id: string; readonly customerId: string; readonly bio: string } | null
  readonly orders: readonly Order[]
}
