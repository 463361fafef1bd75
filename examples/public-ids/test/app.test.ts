import { generateSealKey } from '@snoflax/seal'
import { appOf } from 'example-public-ids/app'
import { customerId, kinds, orderId, productId, publicIds } from 'example-public-ids/ids'
import { openShop } from 'example-public-ids/shop'
import { beforeEach, describe, expect, test } from 'vitest'

const ids = publicIds(generateSealKey())
let shop: ReturnType<typeof openShop>
let app: ReturnType<typeof appOf>
let ada: { id: ReturnType<typeof customerId.generate> }
let engine: { id: ReturnType<typeof productId.generate> }
beforeEach(() => {
  shop = openShop()
  app = appOf(shop, ids)
  ada = shop.addCustomer('Ada')
  engine = shop.addProduct('Analytical engine')
  return () => {
    shop.close()
  }
})

async function request(path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await app.request(path, body && { method: 'POST', body: JSON.stringify(body) })
  const text = await response.text()
  return {
    status: response.status,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
  }
}

describe('routes', () => {
  test('return sealed ids and accept them', async () => {
    const customer = ids.customer.seal(ada.id)
    const placed = await request('/orders', { customerId: customer, productId: engine.id })
    expect(placed).toEqual({
      status: 201,
      body: { id: expect.stringMatching(ids.order.pattern), customerId: customer, productId: engine.id },
    })
    const { id } = placed.body as { id: string }
    expect(await request(`/orders/${id}`)).toEqual({ status: 200, body: placed.body })
    expect(await request(`/customers/${customer}/orders`)).toEqual({
      status: 200,
      body: [{ id, productId: engine.id }],
    })
    expect(shop.stored()).toEqual([
      {
        id: Buffer.from(orderId.decode(ids.order.open(id))),
        customer_id: Buffer.from(customerId.decode(ada.id)),
      },
    ])
  })

  test('refuse internal ids, ids of another kind or key, and changed ones', async () => {
    const { id } = shop.placeOrder(ada.id, engine.id)
    const sealed = ids.order.seal(id)
    const changed = `${sealed.slice(0, 5)}${sealed[5] === 'A' ? 'B' : 'A'}${sealed.slice(6)}`
    const other = publicIds(generateSealKey()).order.seal(id)
    for (const text of [id, orderId.withoutPrefix(id), ids.customer.seal(ada.id), other, changed, 'x']) {
      expect(await request(`/orders/${text}`)).toMatchObject({ status: 400, body: { code: 'INVALID_SEAL' } })
    }
    expect(await request('/orders', { customerId: ada.id, productId: engine.id })).toMatchObject({
      status: 400,
    })
    const refused = await request('/orders', { customerId: ids.customer.seal(ada.id), productId: ada.id })
    expect(refused).toMatchObject({ status: 400, body: { code: 'WRONG_PREFIX' } })
    expect(await request(`/orders/${ids.order.seal(orderId.generate())}`)).toMatchObject({ status: 404 })
  })
})

describe('GraphQL', () => {
  const query = `query ($id: ID!) {
    node(id: $id) { __typename id ... on Product { name } ... on Order { customer { id name } product { id } } }
  }`
  const node = async (id: string) => (await request('/graphql', { query, variables: { id } })).body

  test('node(id) finds the row of every public id', async () => {
    const id = ids.order.seal(shop.placeOrder(ada.id, engine.id).id)
    const customer = { id: ids.customer.seal(ada.id), name: 'Ada' }
    expect(await node(id)).toEqual({
      data: { node: { __typename: 'Order', id, customer, product: { id: engine.id } } },
    })
    expect(await node(customer.id)).toEqual({ data: { node: { __typename: 'Customer', id: customer.id } } })
    expect(await node(engine.id)).toEqual({
      data: { node: { __typename: 'Product', id: engine.id, name: 'Analytical engine' } },
    })
    expect(await node(productId.generate())).toEqual({ data: { node: null } })
  })

  test('node(id) refuses all other ids', async () => {
    for (const id of [ada.id, 'usr_Kpcan0M1FakODT4k', '']) {
      expect(await node(id)).toMatchObject({ data: { node: null }, errors: [{ path: ['node'] }] })
    }
  })
})

test('a support tool opens every internal id', () => {
  expect(kinds.find(ada.id)).toMatchObject({ name: 'customer', id: ada.id })
  expect(kinds.find(ids.customer.seal(ada.id))).toBeUndefined()
})
