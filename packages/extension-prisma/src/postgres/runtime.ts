import { parametersFor, withIdsOf } from '../runtime.js'
import { partsOf } from './codecs.js'

export type { Generators, IdOptions } from '../runtime.js'

export const withIds = withIdsOf(partsOf)

/**
 * What converts the ids in raw SQL, by model and field.
 *
 * @throws {IdError} with model and field for what is no id; `INVALID_OPTION` for a field that holds none.
 *
 * @example
 * const parameter = parametersOf({ contractJson })
 * db.raw.sql`SELECT total FROM "Order" WHERE id = ${parameter('Order.id', id)}`
 */
export const parametersOf = parametersFor(partsOf)
