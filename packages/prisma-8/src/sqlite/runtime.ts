import { parametersFor, withIdsOf } from '../runtime.js'
import { partsOf } from './codecs.js'

export type { Generators, IdOptions } from '../runtime.js'

export const withIds = withIdsOf(partsOf)

/**
 * Returns a function that converts an id for raw SQL, by model and field.
 *
 * @throws {IdError} with model and field for a value that is not an id; `INVALID_OPTION` for a field without ids.
 *
 * @example
 * const parameter = parametersOf({ contractJson })
 * db.raw.sql`SELECT total FROM "Order" WHERE id = ${parameter('Order.id', id)}`
 */
export const parametersOf = parametersFor(partsOf)
