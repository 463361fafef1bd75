import type { IdFamily } from '@snoflax/core'
import { type Type, type } from 'arktype'
import { refusal } from './refusal.js'

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
