import { IdError, type IdErrorCode } from '@snoflax/core'

/** @throws {IdError} always: the place, then what is wrong there. */
export function refuse(
  place: string,
  message: string,
  value?: unknown,
  code: IdErrorCode = 'INVALID_OPTION',
): never {
  throw new IdError(code, message, { value }).at(place)
}

/** Runs the work; an IdError that comes out of it is told with the place. */
export function at<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof IdError ? error.at(place) : error
  }
}
