import type { IdFamily } from '@snoflax/core'
import { type } from 'arktype'
import { refusal } from './refusal.js'

// ArkType has ES modules only, and declarations of CommonJS name them in this way.
type Type<Value> = import('arktype', { with: { 'resolution-mode': 'import' }}).Type<Value>

/**
 * An ArkType type of ids. Errors have the message of the IdError, and its code in `meta`.
 *
 * @example
 * const input = type({ orderId: idSchema(flax) })
 */
export const idSchema = <AnId extends string>(family: IdFamily<AnId>): Type<AnId> =>
  type('unknown').narrow((value, context) => {
    const error = refusal(family, value)
    return (
      error === undefined ||
      context.reject({ code: 'predicate', message: error.message, meta: { code: error.code } as object })
    )
  }) as unknown as Type<AnId>
