import { flax, type Id, IdError, prefixed, registry, sno } from '@snoflax/core'
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
  /** The row of any public id. @throws {IdError} for any other value. */
  open(text: string): Node
}

/** Ids of customers and orders are sealed, to hide when customers signed up and how many orders there are. Products' ids aren't. */
export function publicIds(keys: SealKey | readonly SealKey[]): PublicIds {
  const customer = seal(customerId, { keys })
  const order = seal(orderId, { keys })
  return {
    customer,
    order,
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
