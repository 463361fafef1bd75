import { IdError } from '../primitives/errors.js'

/**
 * Runs the work. An IdError or TypeError that it throws gets the path in front of its message; an IdError that has a
 * path already keeps it.
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
    const isPlaced = error instanceof IdError && error.path !== undefined
    if (isPlaced || !(error instanceof IdError || error instanceof TypeError)) throw error
    const place = typeof path === 'string' ? path : path()
    throw error instanceof IdError
      ? error.at(place)
      : new TypeError(`${place}: ${error.message}`, { cause: error })
  }
}
