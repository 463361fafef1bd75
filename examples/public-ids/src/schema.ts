import {
  GraphQLID,
  GraphQLInterfaceType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import type { PublicIds } from './ids.js'
import type { Shop } from './shop.js'

type Found = NonNullable<Awaited<ReturnType<Shop['find']>>>

const TYPES = { customers: 'Customer', products: 'Product', orders: 'Order' } as const

/** `node(id)` of any public id: the prefix identifies the table, so it needs no base64 of `Type:id`. */
export function schemaOf(shop: Shop, ids: PublicIds): GraphQLSchema {
  const id = {
    type: new GraphQLNonNull(GraphQLID),
    resolve({ model, row }: Found): string {
      if (model === 'customers') return ids.customer.seal(row.id)
      return model === 'orders' ? ids.order.seal(row.id) : row.id
    },
  }
  const name = {
    type: new GraphQLNonNull(GraphQLString),
    resolve: (found: Found) => found.model !== 'orders' && found.row.name,
  }
  const node = new GraphQLInterfaceType({
    name: 'Node',
    fields: { id: { type: id.type } },
    resolveType: ({ model }: Found) => TYPES[model],
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
        resolve: ({ model, row }: Found) => model === 'orders' && shop.find(row.customerId),
      },
      product: {
        type: product,
        resolve: ({ model, row }: Found) => model === 'orders' && shop.find(row.productId),
      },
    },
  })
  return new GraphQLSchema({
    types: [customer, product, order],
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        node: {
          type: node,
          args: { id: { type: new GraphQLNonNull(GraphQLID) } },
          resolve: (_, { id: given }: { id: string }) => shop.find(ids.open(given).id),
        },
      },
    }),
  })
}
