import type { IdFamily } from '@snoflax/core'
import { checkFamily } from '@snoflax/core/adapter'
import { type TUnsafe, Type } from 'typebox'
import { keywordsOf, messageOf } from './refusal.js'

/**
 * A TypeBox 1 schema of ids, with pattern and lengths. Errors are TypeBox's own, except for a text that matches the
 * pattern without being an id: that has the message of the IdError.
 *
 * @example
 * const input = Type.Object({ orderId: idSchema(flax) })
 */
export function idSchema<AnId extends string>(family: IdFamily<AnId>): TUnsafe<AnId> {
  checkFamily(family, 'idSchema: family')
  return Type.Refine(
    Type.Unsafe<AnId>(Type.String(keywordsOf(family))),
    (value) => family.is(value),
    (value) => messageOf(family, value),
  )
}
