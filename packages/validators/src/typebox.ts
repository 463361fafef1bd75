import type { IdFamily } from '@snoflax/core'
import { Type } from 'typebox'
import { keywordsOf, messageOf } from './refusal.js'

// TypeBox 1 has ES modules only, and declarations of CommonJS name them in this way.
type TUnsafe<Value> = import('typebox', { with: { 'resolution-mode': 'import' }}).TUnsafe<Value>

/**
 * A TypeBox 1 schema of ids, with pattern and lengths. Errors are TypeBox's, for a text that fits the pattern and is no id that
 * of the IdError.
 *
 * @example
 * const input = Type.Object({ orderId: idSchema(flax) })
 */
export const idSchema = <AnId extends string>(family: IdFamily<AnId>): TUnsafe<AnId> =>
  Type.Refine(
    Type.Unsafe<AnId>(Type.String(keywordsOf(family))),
    (value) => family.is(value),
    (value) => messageOf(family, value),
  )
