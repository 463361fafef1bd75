import { Kind, type TUnsafe, Type, TypeRegistry } from '@sinclair/typebox'
import type { IdFamily } from '@snoflax/core'
import { checkFamily } from '@snoflax/core/adapter'
import { keywordsOf } from './refusal.js'

// Not one entry with TypeBox 1: 0.34 finds checks in its own module's registry only, and types by its own symbols only.

/** Where a schema keeps its family's check: TypeBox copies schemas, and looks a check up by the name of its kind. */
const CHECK = Symbol.for('snoflax.typebox.check')

interface Checked {
  readonly [CHECK]: (value: unknown) => boolean
}

/**
 * A schema of ids for `@sinclair/typebox`. Errors read "Expected kind 'flax id'"; the JSON Schema has pattern and lengths.
 *
 * @example
 * const input = Type.Object({ orderId: idSchema(flax) })
 */
export function idSchema<AnId extends string>(family: IdFamily<AnId>): TUnsafe<AnId> {
  checkFamily(family, 'idSchema: family')
  const kind = `${family.name} id`
  TypeRegistry.Set<Checked>(kind, (schema, value) => schema[CHECK](value))
  const check = (value: unknown): boolean => family.is(value)
  return Type.Unsafe<AnId>({ ...Type.String(keywordsOf(family)), [Kind]: kind, [CHECK]: check })
}
