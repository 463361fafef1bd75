import {
  GraphQLID,
  GraphQLInterfaceType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import type { Node as NodeId, PublicIds } from './ids.js'
import type { Order, Shop } from './shop.js'

type Row = NodeId & { readonly name?: string; readonly order?: Order }

/** `node(id)` of any public id: the prefix identifies the type, so it needs no base64 of `Type:id`. */
export function schemaOf(shop: Shop, ids: PublicIds): GraphQLSchema {
  const id = {
    type: new GraphQLNonNull(GraphQLID),
    resolve(row: Row): string {
      if (row.kind === 'customer') return ids.customer.seal(row.id)
      return row.kind === 'order' ? ids.order.seal(row.id) : row.id
    },
  }
  const name = { type: new GraphQLNonNull(GraphQLString) }
  const node = new GraphQLInterfaceType({
    name: 'Node',
    fields: { id: { type: id.type } },
    resolveType: ({ kind }: Row) => ({ customer: 'Customer', product: 'Product', order: 'Order' })[kind],
  })
  const customer = new GraphQLObjectType({ name: 'Customer', interfaces: [node], fields: { id, name } })
  const product = new GraphQLObjectType({ name: 'Product', interfaces: [node], fields: { id, name } })
  const order = new GraphQLObjectType({
    name: 'Order',
    interfaces: [node],
    fields: {
      id,
      customer: {
        type: customer,
        resolve: (row: Row) => row.order && find({ kind: 'customer', id: row.order.customerId }),
      },
      product: {
        type: product,
        resolve: (row: Row) => row.order && find({ kind: 'product', id: row.order.productId }),
      },
    },
  })

  const find = (given: NodeId): Row | undefined => {
    switch (given.kind) {
      case 'customer': {
        const row = shop.customer(given.id)
        return row && { ...given, name: row.name }
      }
      case 'product': {
        const row = shop.product(given.id)
        return row && { ...given, name: row.name }
      }
      case 'order': {
        const row = shop.order(given.id)
        return row && { ...given, order: row }
      }
    }
  }

  return new GraphQLSchema({
    types: [customer, product, order],
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        node: {
          type: node,
          args: { id: { type: new GraphQLNonNull(GraphQLID) } },
          resolve: (_, { id: given }: { id: string }) => find(ids.open(given)),
        },
      },
    }),
  })
}
