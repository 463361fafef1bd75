import { IdError } from '../primitives/errors.js'

/**
 * Calls `work`. If it throws an IdError without a path, rethrows it with the path, which also begins the message.
 *
 * @param path entity and property, table and column, or a place in the arguments. Pass a function if the path is
 * costly; it is called for errors only.
 *
 * @example
 * withPath('orders.id', () => sno.parse('9q7k4h922d78w222')) // errors begin with 'orders.id: '
 */
export function withPath<Result>(path: string | (() => string), work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof IdError) || error.path !== undefined) throw error
    throw error.at(typeof path === 'string' ? path : path())
  }
}
