// Ids from outside are parsed here, once: a malformed one never reaches the database.
import { flax, sno } from '@snoflax/core'
import type { Filter } from './listing.js'
import type { NewOrder } from './orders.js'
import { BadRequest } from './refusals.js'

export function filterOf(query: URLSearchParams): Filter {
  const [day, customer, after] = ['day', 'customer', 'after'].map((name) => query.get(name))
  return {
    day: day ? midnightOf(day) : undefined,
    customerId: customer ? flax.parse(customer) : undefined,
    after: after ? sno.parse(after) : undefined,
  }
}

function midnightOf(day: string): Date {
  const midnight = new Date(`${day}T00:00:00Z`)
  if (!Number.isNaN(midnight.getTime()) && midnight.toISOString() === `${day}T00:00:00.000Z`) return midnight
  throw new BadRequest(`day: "${day}" is no day such as 2026-11-20`)
}

export function newOrderOf(body: string): NewOrder {
  const { customer, item, cents } = objectOf(body)
  if (typeof item !== 'string' || item === '') throw new BadRequest('item: say what is ordered')
  if (!Number.isSafeInteger(cents) || Number(cents) < 0)
    throw new BadRequest('cents: must be an integer, 0 or more')
  return { customerId: flax.parse(customer), item, cents: Number(cents) }
}

function objectOf(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body))
  } catch {
    throw new BadRequest('the body is no JSON')
  }
}
