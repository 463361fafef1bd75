import type { IdFamily, StorageName } from '../family.js'
import { baseOf, isPrefixed, isSameFamily } from '../identity.js'
import { IdError } from '../primitives/errors.js'

/** The id column that a foreign key or its target is. */
export interface ColumnIdentity {
  /** Its name in messages: table and column, or entity and property. */
  readonly path: string
  /** The family of its ids. */
  readonly family: IdFamily
  /** Their storage. Default for a foreign key: that of its target. */
  readonly storage?: StorageName | undefined
}

/**
 * Checks that a foreign key and its target have ids of the same family in the same storage. A foreign key that states no
 * prefix takes that of its target.
 *
 * @param target the column that the key references. Without `family` it is not an id column.
 * @throws {IdError} `INVALID_OPTION`, with both paths in the message.
 *
 * @example
 * agree({ path: 'orders.customerId', family: flax }, { path: 'customers.id', family: flax, storage: 'uuid' })
 */
export function agree(own: ColumnIdentity, target: ColumnIdentity | { readonly path: string }): void {
  if (!('family' in target)) refuse(own, `references ${target.path}, which is not an id column`)
  const family = isPrefixed(own.family) ? target.family : baseOf(target.family)
  if (family.name !== own.family.name) {
    refuse(own, `stores ${own.family.name} ids, but references ${target.path} with ${target.family.name} ids`)
  }
  if (!isSameFamily(own.family, family)) {
    refuse(own, `stores ${own.family.name} ids with another layout or epoch than ${target.path}`)
  }
  if (own.storage === undefined || target.storage === undefined || own.storage === target.storage) return
  refuse(own, `has storage ${own.storage}, but references ${target.path} with storage ${target.storage}`)
}

function refuse({ path, family }: ColumnIdentity, reason: string): never {
  throw new IdError('INVALID_OPTION', `${path}: ${reason}`, { family: family.name, path })
}
