import { IdError } from '@snoflax/core'
import { graphql } from 'graphql'
import { Hono } from 'hono'
import { type PublicIds, productId } from './ids.js'
import { openApiOf } from './openapi.js'
import { schemaOf } from './schema.js'
import type { Order, Shop } from './shop.js'

/** The API: it seals ids in responses and opens those in requests, so that the code in between sees plain ids. */
export function appOf(shop: Shop, ids: PublicIds): Hono {
  const app = new Hono()
  const schema = schemaOf(shop, ids)
  const openApi = openApiOf(ids)
  const shown = ({ id, customerId, productId }: Order) => ({
    id: ids.order.seal(id),
    customerId: ids.customer.seal(customerId),
    productId,
  })

  app.get('/orders/:id', (context) => {
    const order = shop.order(ids.order.open(context.req.param('id')))
    return order ? context.json(shown(order)) : context.notFound()
  })

  app.get('/customers/:id/orders', (context) => {
    const orders = shop.ordersOf(ids.customer.open(context.req.param('id')))
    // A list is sealed in one call of the cipher.
    const texts = ids.order.sealAll(orders.map(({ id }) => id))
    return context.json(orders.map(({ productId }, i) => ({ id: texts[i], productId })))
  })

  app.post('/orders', async (context) => {
    const body = await context.req.json<Record<string, unknown>>()
    const customer = ids.customer.open(body['customerId'])
    const product = productId.parse(body['productId'])
    if (!shop.customer(customer) || !shop.product(product)) return context.notFound()
    return context.json(shown(shop.placeOrder(customer, product)), 201)
  })

  // A UUID that this API didn't show opens as well, as the id of no row.
  app.get('/invoices/:id', (context) => {
    const invoice = shop.invoice(ids.invoice.open(context.req.param('id')))
    return invoice ? context.json({ id: context.req.param('id'), cents: invoice.cents }) : context.notFound()
  })

  app.get('/invoices', (context) => {
    const invoices = shop.invoices()
    const uuids = ids.invoice.sealAll(invoices.map(({ id }) => id))
    return context.json(invoices.map(({ cents }, i) => ({ id: uuids[i], cents })))
  })

  app.get('/openapi.json', (context) => context.json(openApi))

  app.post('/graphql', async (context) => {
    const { query, variables } = await context.req.json<{
      query: string
      variables?: Record<string, unknown>
    }>()
    return context.json(await graphql({ schema, source: query, variableValues: variables ?? {} }))
  })

  app.onError((error, context) => {
    if (!(error instanceof IdError) || error.statusCode !== 400) throw error
    return context.json({ error: error.message, code: error.code }, 400)
  })
  return app
}
