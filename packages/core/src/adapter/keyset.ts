import { IdError, show } from '../primitives/errors.js'

/**
 * The order of a keyset page. Default `asc`.
 *
 * @throws {IdError} `INVALID_OPTION` for another order, and for a `take` that is not a positive integer: ORMs
 * take 0 for "no limit" and read a negative one from the other end.
 *
 * @example
 * checkKeyset({ order: 'desc', take: 20 }) // 'desc'
 */
export function checkKeyset({ order = 'asc', take }: { order?: unknown; take?: unknown }): 'asc' | 'desc' {
  if (take !== undefined && !(Number.isSafeInteger(take) && (take as number) > 0)) {
    refuse('take', take, 'take must be a positive integer')
  }
  if (order !== 'asc' && order !== 'desc') refuse('order', order, "order must be 'asc' or 'desc'")
  return order
}

function refuse(field: string, value: unknown, rule: string): never {
  throw new IdError('INVALID_OPTION', `keyset: ${rule}, not ${show(value)}`, { field, value })
}
