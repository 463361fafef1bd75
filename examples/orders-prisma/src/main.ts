import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { flax, IdError, type IdErrorCode, sno } from '@snoflax/core'
import { migrate } from './database.js'
import { type Filter, findOrder, listOrders, type NewOrder, placeOrder } from './orders.js'
import { ordersPage } from './page.js'
import { seed } from './seed.js'

class BadRequest extends Error {}
class NotFound extends Error {}

await migrate()
console.log(`${await seed()} orders`)

const server = createServer(async (request, response) => {
  const answered = await answer(request).catch(refusal)
  response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text())
})
await once(server.listen(Number(process.env['PORT'] ?? 0), 'localhost'), 'listening')
console.log(`http://localhost:${(server.address() as AddressInfo).port}/`)

async function answer(request: IncomingMessage): Promise<Response> {
  const { pathname, searchParams } = new URL(`http://localhost${request.url}`)
  const [, id] = /^\/orders\/([^/]+)$/.exec(pathname) ?? []
  switch (`${request.method} ${id === undefined ? pathname : '/orders/:id'}`) {
    case 'GET /':
      return page(filterOf(searchParams))
    case 'GET /orders':
      return Response.json(await listOrders(filterOf(searchParams)))
    case 'GET /orders/:id':
      return Response.json((await findOrder(sno.parse(`${id}`))) ?? missing(`order ${id}`))
    case 'POST /orders':
      return create(newOrderOf(await text(request)))
    default:
      return missing(`${request.method} ${pathname}`)
  }
}

async function page(filter: Filter): Promise<Response> {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  }
  return new Response(ordersPage(await listOrders(filter), filter), { headers })
}

async function create(order: NewOrder): Promise<Response> {
  const placed = (await placeOrder(order)) ?? missing(`customer ${order.customer}`)
  return Response.json(placed, { status: 201, headers: { location: `/orders/${placed.id}` } })
}

/** What comes from outside becomes ids here, once: a malformed one never reaches the database. */
function filterOf(query: URLSearchParams): Filter {
  const [day, customer, after] = ['day', 'customer', 'after'].map((name) => query.get(name))
  return {
    day: day ? dayOf(day) : undefined,
    customer: customer ? flax.parse(customer) : undefined,
    after: after ? sno.parse(after) : undefined,
  }
}

function dayOf(written: string): Date {
  const day = new Date(`${written}T00:00:00Z`)
  if (!Number.isNaN(day.getTime()) && day.toISOString().startsWith(written)) return day
  throw new BadRequest(`day: "${written}" is no day such as 2026-11-20`)
}

function newOrderOf(body: string): NewOrder {
  const { customer, item, cents } = objectOf(body)
  if (typeof item !== 'string' || item === '') throw new BadRequest('item: say what is ordered')
  if (!Number.isSafeInteger(cents) || Number(cents) < 0) throw new BadRequest('cents: a whole number from 0')
  return { customer: flax.parse(String(customer)), item, cents: Number(cents) }
}

function objectOf(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body))
  } catch {
    throw new BadRequest('the body is no JSON')
  }
}

function missing(what: string): never {
  throw new NotFound(`there is no ${what}`)
}

const MALFORMED = new Set<IdErrorCode>(['INVALID_LENGTH', 'INVALID_CHARACTER', 'NOT_CANONICAL'])

function refusal(error: unknown): Response {
  if (error instanceof NotFound) return new Response(error.message, { status: 404 })
  if (error instanceof BadRequest) return new Response(error.message, { status: 400 })
  if (error instanceof IdError && MALFORMED.has(error.code))
    return new Response(error.message, { status: 400 })
  console.error(error)
  return new Response('something went wrong', { status: 500 })
}
