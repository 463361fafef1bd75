import { uuid7 } from '@snoflax/core'
import { generateSealKey, seal } from '@snoflax/seal'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { appOf } from 'example-public-ids/app'
import { customerId, kinds, orderId, productId, publicIds } from 'example-public-ids/ids'
import { openShop } from 'example-public-ids/shop'
import { beforeEach, describe, expect, test } from 'vitest'

const key = generateSealKey()
const ids = publicIds([key], key)
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
    const other = publicIds([generateSealKey()], key).order.seal(id)
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

describe('invoices', () => {
  const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  const send = () => [1, 2, 3].map((cents) => shop.sendInvoice(shop.placeOrder(ada.id, engine.id).id, cents))

  test('have UUIDs of version 7 in the table and of version 4 in the API', async () => {
    const sent = send()
    const { body } = await request('/invoices')
    const shown = body as { id: string; cents: number }[]
    expect(shown.map(({ cents }) => cents)).toEqual([1, 2, 3])
    for (const [i, { id, cents }] of shown.entries()) {
      expect(id).toMatch(V4)
      expect(uuid7.is(sent[i]?.id)).toBe(true)
      expect(ids.invoice.open(id)).toBe(sent[i]?.id)
      expect(await request(`/invoices/${id}`)).toEqual({ status: 200, body: { id, cents } })
    }
  })

  test('of foreign UUIDs are not found, and what is no UUID of version 4 is refused', async () => {
    const [invoice] = send()
    const id = invoice?.id as NonNullable<typeof invoice>['id']
    const other = seal(uuid7, { keys: generateSealKey(), as: 'uuid' }).seal(id)
    for (const uuid of [crypto.randomUUID(), other]) {
      expect(await request(`/invoices/${uuid}`)).toMatchObject({ status: 404 })
    }
    for (const text of [id, ids.invoice.seal(id).toUpperCase(), 'x']) {
      expect(await request(`/invoices/${text}`)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_SEAL' },
      })
    }
  })
})

describe('openapi.json', () => {
  test('describes invoices by format: uuid, and all responses', async () => {
    const [invoice] = [shop.placeOrder(ada.id, engine.id)].map(({ id }) => shop.sendInvoice(id, 1999))
    const { body } = await request('/openapi.json')
    const { paths } = body as { paths: Record<string, { get: Operation }> }
    interface Operation {
      parameters?: { schema: object }[]
      responses: Record<200, { content: Record<'application/json', { schema: object }> }>
    }
    expect(paths['/invoices/{id}']?.get.parameters?.[0]?.schema).toMatchObject({
      type: 'string',
      format: 'uuid',
    })
    const ajv = addFormats.default(new Ajv())
    const uuid = ids.invoice.seal(invoice?.id as NonNullable<typeof invoice>['id'])
    for (const [path, id] of [
      ['/orders/{id}', ids.order.seal(invoice?.orderId as NonNullable<typeof invoice>['orderId'])],
      ['/invoices/{id}', uuid],
      ['/invoices', ''],
    ] as const) {
      const operation = paths[path]?.get as Operation
      const answer = await request(path.replace('{id}', id))
      expect(answer.status).toBe(200)
      const { schema } = operation.responses[200].content['application/json']
      expect(ajv.validate(schema, answer.body), ajv.errorsText()).toBe(true)
      for (const parameter of operation.parameters ?? [])
        expect(ajv.validate(parameter.schema, id)).toBe(true)
    }
    const [{ schema = {} } = {}] = paths['/invoices/{id}']?.get.parameters ?? []
    expect(ajv.validate(schema, invoice?.id)).toBe(false)
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
