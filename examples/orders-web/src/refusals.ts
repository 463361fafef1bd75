import { IdError } from '@snoflax/core'

export class BadRequest extends Error {}
export class NotFound extends Error {}

export function missing(what: string): never {
  throw new NotFound(`there is no ${what}`)
}

/** The answer to a request that failed: what is wrong with it, but nothing of what is wrong in here. */
export function refusal(error: unknown): Response {
  if (error instanceof NotFound) return new Response(error.message, { status: 404 })
  if (error instanceof BadRequest) return new Response(error.message, { status: 400 })
  // A malformed id has status 400; a day that no id can carry is the request's fault here, since days come from requests.
  if (error instanceof IdError && (error.statusCode === 400 || error.code === 'TIME_OUT_OF_RANGE'))
    return new Response(error.message, { status: 400 })
  console.error(error)
  return new Response('something went wrong', { status: 500 })
}
