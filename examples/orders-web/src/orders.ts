import type { FlaxId, SnoId } from '@snoflax/core'

/** The queries that the server needs from an ORM. The `src/orders.ts` of each example implements them. */
export interface Orders {
  /** Newest first, at most `take` of them. */
  listOrders(query: OrdersQuery): Promise<Order[]>
  /** Null or undefined if there is no such order. */
  findOrder(id: SnoId): Promise<Order | null | undefined>
  /** Null or undefined if there is no such customer. */
  placeOrder(order: NewOrder): Promise<Order | null | undefined>
}

export interface Order {
  readonly id: SnoId
  readonly customer: { readonly id: FlaxId; readonly name: string }
  readonly item: string
  readonly cents: number
  /** Read from the id; it is not a column. */
  readonly createdAt: Date
}

export interface NewOrder {
  readonly customerId: FlaxId
  readonly item: string
  readonly cents: number
}

/** Which orders to list: those that match all of it. */
export interface OrdersQuery {
  /** Created at or after `from`, and before `to`. */
  readonly created?: { readonly from: Date; readonly to: Date } | undefined
  readonly customerId?: FlaxId | undefined
  /** The last order of the previous page: only older ones. */
  readonly after?: SnoId | undefined
  readonly take: number
}
