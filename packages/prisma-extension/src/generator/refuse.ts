import { IdError } from '@snoflax/core'

/** @throws {IdError} always: what the schema says of a field can't be. */
export function refuse(reason: string, value: unknown): never {
  throw new IdError('INVALID_OPTION', reason, { field: '@snoflax', value })
}
