import { IdError } from '@snoflax/core'

/** Does the work, and lets an error of it tell the place: entity and property. */
export function placed<Result>(place: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof IdError) throw error.at(place)
    throw error instanceof TypeError ? new TypeError(`${place}: ${error.message}`, { cause: error }) : error
  }
}
