import { IdError } from '@snoflax/core'

export class BadRequest extends Error {}
export class NotFound extends Error {}
export class TooLarge extends Error {}

export function missing(what: string): never {
  throw new NotFound(`there is no ${what}`)
}

/** The response to a failed request: it says what is wrong with the request, but not what is wrong in the server. */
export function refusal(error: unknown): Response {
  if (error instanceof NotFound) return new Response(error.message, { status: 404 })
  if (error instanceof TooLarge) return new Response(error.message, { status: 413 })
  if (error instanceof BadRequest) return new Response(error.message, { status: 400 })
  // A malformed id has status 400; a day that no id can contain is the client's error, since days come from requests.
  if (error instanceof IdError && (error.statusCode === 400 || error.code === 'TIME_OUT_OF_RANGE'))
    return new Response(error.message, { status: 400 })
  console.error(error)
  return new Response('something went wrong', { status: 500 })
}
