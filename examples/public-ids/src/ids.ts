import { flax, type Id, IdError, prefixed, registry, sno, type Uuid7, uuid7 } from '@snoflax/core'
import { type Seal, type SealedId, type SealKey, seal } from '@snoflax/seal'

/** Ids within the application, logs and support tools: the prefix says which table an id belongs to. */
export const customerId = prefixed(flax, 'cus')
export const productId = prefixed(flax, 'prd')
export const orderId = prefixed(sno, 'ord')

export const kinds = registry({ customer: customerId, product: productId, order: orderId })

export type Kind = keyof typeof kinds.families
export type IdOf<K extends Kind> = (typeof kinds.families)[K]['min']

/** An id from a request. */
export type Node = { readonly [K in Kind]: { readonly kind: K; readonly id: IdOf<K> } }[Kind]

/** Which ids the API shows, and how it reads them. */
export interface PublicIds {
  customer: Seal<Id<'cus'>>
  order: Seal<Id<'ord'>>
  /** UUIDs of version 4 in place of the table's UUIDv7s, for clients that expect UUIDs. */
  invoice: Seal<Uuid7>
  /** The row of any public id. @throws {IdError} for any other value. */
  open(text: string): Node
}

/**
 * Ids of customers, orders and invoices are sealed, to hide when customers signed up and how many orders there are.
 * Products' ids aren't.
 *
 * @param keys the first one seals, all of them open.
 * @param invoiceKey seals invoices. UUIDs have no check that tells which key sealed them, so it is a single one.
 */
export function publicIds(keys: readonly SealKey[], invoiceKey: SealKey): PublicIds {
  const customer = seal(customerId, { keys })
  const order = seal(orderId, { keys })
  return {
    customer,
    order,
    invoice: seal(uuid7, { keys: invoiceKey, as: 'uuid' }),
    open(text) {
      if (customer.pattern.test(text)) return { kind: 'customer', id: customer.open(text) }
      if (order.pattern.test(text)) return { kind: 'order', id: order.open(text) }
      if (productId.is(text)) return { kind: 'product', id: text }
      throw new IdError('WRONG_PREFIX', `no id of this API: ${JSON.stringify(text.slice(0, 48))}`, {
        value: text,
      })
    },
  }
}

export type { SealedId }
