import { generateSealKey } from '@snoflax/seal'
import { appOf } from './app.js'
import { customerId, publicIds } from './ids.js'
import { openShop } from './shop.js'

// A real application stores its key: SEAL_KEY, generated once by `npx snoflax seal-key`.
const key = process.env['SEAL_KEY'] ?? generateSealKey()
const ids = publicIds([key], key)
const shop = openShop()
const app = appOf(shop, ids)

const ada = shop.addCustomer('Ada')
const engine = shop.addProduct('Analytical engine')
const request = async (path: string, body?: object): Promise<unknown> => {
  const sent = body && { method: 'POST', body: JSON.stringify(body) }
  return (await app.request(path, sent)).json()
}

console.log('stored  ', customerId.withoutPrefix(ada.id))
console.log('inside  ', ada.id)
console.log('outside ', ids.customer.seal(ada.id))
const order = await request('/orders', { customerId: ids.customer.seal(ada.id), productId: engine.id })
console.log('POST    ', order)
const { id } = order as { id: string }
const query = `query ($id: ID!) { node(id: $id) { __typename id ... on Order { customer { id name } } } }`
console.log('GraphQL ', JSON.stringify(await request('/graphql', { query, variables: { id } })))
const invoice = shop.sendInvoice(ids.order.open(id), 1999)
console.log('UUIDv7  ', invoice.id)
console.log('UUIDv4  ', await request('/invoices'))
console.log('unsealed', await request(`/orders/${ids.order.open(id)}`))
