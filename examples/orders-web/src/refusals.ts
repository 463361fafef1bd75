import { IdError, type IdErrorCode } from '@snoflax/core'

export class BadRequest extends Error {}
export class NotFound extends Error {}

export function missing(what: string): never {
  throw new NotFound(`there is no ${what}`)
}

/** What a request can do wrong: a malformed id, and a day that no id can carry. */
const FROM_OUTSIDE = new Set<IdErrorCode>([
  'INVALID_LENGTH',
  'INVALID_CHARACTER',
  'NOT_CANONICAL',
  'TIME_OUT_OF_RANGE',
])

/** The answer to a request that failed: what is wrong with it, but nothing of what is wrong in here. */
export function refusal(error: unknown): Response {
  if (error instanceof NotFound) return new Response(error.message, { status: 404 })
  if (error instanceof BadRequest) return new Response(error.message, { status: 400 })
  if (error instanceof IdError && FROM_OUTSIDE.has(error.code))
    return new Response(error.message, { status: 400 })
  console.error(error)
  return new Response('something went wrong', { status: 500 })
}
