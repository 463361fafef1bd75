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

export const refuseOtherSession = (): never =>
  refuse('adoption', 'another session is running this adoption; wait for it or terminate it')
