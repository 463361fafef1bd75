import { IdError } from '../primitives/errors.js'

/**
 * Runs the work. An IdError that it throws gets the path in front of its message, unless it has one already.
 *
 * @param path entity and property, table and column, or a place in the arguments. A function is called for an error
 * only, for paths that cost something to put together.
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
