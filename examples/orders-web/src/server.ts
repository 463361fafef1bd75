import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sno } from '@snoflax/core'
import { type Filter, listingOf } from './listing.js'
import type { NewOrder, Orders } from './orders.js'
import { ordersPage } from './page.js'
import { missing, refusal, TooLarge } from './refusals.js'
import { filterOf, newOrderOf } from './requests.js'

/** Serves the page and the API over these orders, at the port PORT or a free one. Returns the URL. */
export async function serve(orders: Orders): Promise<string> {
  const server = createServer(async (request, response) => {
    const answered = await answer(orders, request).catch(refusal)
    response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text())
  })
  await once(server.listen(Number(process.env['PORT'] ?? 0), 'localhost'), 'listening')
  return `http://localhost:${(server.address() as AddressInfo).port}/`
}

async function answer(orders: Orders, request: IncomingMessage): Promise<Response> {
  const { pathname, searchParams } = new URL(`http://localhost/${request.url?.replace(/^\/+/, '')}`)
  const [, id] = /^\/orders\/([^/]+)$/.exec(pathname) ?? []
  switch (`${request.method} ${id === undefined ? pathname : '/orders/:id'}`) {
    case 'GET /':
      return page(orders, filterOf(searchParams))
    case 'GET /orders':
      return Response.json(await listingOf(orders, filterOf(searchParams)))
    case 'GET /orders/:id':
      return Response.json((await orders.findOrder(sno.parse(`${id}`))) ?? missing(`order ${id}`))
    case 'POST /orders':
      return create(orders, newOrderOf(await bodyOf(request)))
    default:
      return missing(`${request.method} ${pathname}`)
  }
}

const MAX_BODY = 10_000

/** The body as text. @throws {TooLarge} */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    // Ending the loop destroys the request, and the answer with it, so the rest is read and dropped.
    if (size <= MAX_BODY) chunks.push(chunk)
  }
  if (size > MAX_BODY) throw new TooLarge(`the body is larger than ${MAX_BODY} bytes`)
  return Buffer.concat(chunks).toString()
}

async function page(orders: Orders, filter: Filter): Promise<Response> {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  }
  return new Response(ordersPage(await listingOf(orders, filter), filter), { headers })
}

async function create(orders: Orders, order: NewOrder): Promise<Response> {
  const placed = (await orders.placeOrder(order)) ?? missing(`customer ${order.customerId}`)
  return Response.json(placed, { status: 201, headers: { location: `/orders/${placed.id}` } })
}
