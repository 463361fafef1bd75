import { type PublicIds, productId } from './ids.js'

const TARGET = { target: 'openapi-3.0' }

/** The API's description. A seal describes its texts, and a family its ids: invoices' are of `format: uuid`. */
export function openApiOf({ customer, order, invoice }: PublicIds) {
  const textOf = (ids: typeof customer | typeof order | typeof invoice) =>
    ids['~standard'].jsonSchema.input(TARGET)
  const objectOf = (properties: Record<string, object>) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  })
  const ok = (schema: object) => ({ description: 'OK', content: { 'application/json': { schema } } })
  const id = (schema: object) => [{ name: 'id', in: 'path', required: true, schema }]
  const Order = objectOf({
    id: textOf(order),
    customerId: textOf(customer),
    productId: productId['~standard'].jsonSchema.input(TARGET),
  })
  const Invoice = objectOf({ id: textOf(invoice), cents: { type: 'integer' } })
  return {
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/orders/{id}': { get: { parameters: id(textOf(order)), responses: { 200: ok(Order) } } },
      '/invoices': { get: { responses: { 200: ok({ type: 'array', items: Invoice }) } } },
      '/invoices/{id}': { get: { parameters: id(textOf(invoice)), responses: { 200: ok(Invoice) } } },
    },
  }
}
