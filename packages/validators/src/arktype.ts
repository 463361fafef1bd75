import type { IdFamily } from '@snoflax/core'
import { checkFamily } from '@snoflax/core/adapter'
import { type Type, type } from 'arktype'
import { refusal } from './refusal.js'

/**
 * An ArkType type of ids. Errors have the message of the IdError, and its code in `meta`.
 *
 * @example
 * const input = type({ orderId: idSchema(flax) })
 */
export function idSchema<AnId extends string>(family: IdFamily<AnId>): Type<AnId> {
  checkFamily(family, 'idSchema: family')
  return type('unknown').narrow((value, context) => {
    const error = refusal(family, value)
    return (
      error === undefined ||
      context.reject({ code: 'predicate', message: error.message, meta: { code: error.code } as object })
    )
  }) as unknown as Type<AnId>
}
