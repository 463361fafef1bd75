import { baseOf, isPrefixed } from '../identity.js'
import { IdError } from '../primitives/errors.js'
import type { IdStorage } from '../storage/index.js'
import type { SqlIdColumn } from './ids-in-sql.js'

/**
 * Checks that two columns can have equal values: a uuid of UUIDv7 and of TypeID can, and so can an id and the same id
 * behind a prefix that is not stored.
 *
 * @throws {IdError} `INVALID_OPTION`, with both places in the message.
 *
 * @example
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * checkComparable({ place: 'orders.customer_id', storage }, { place: 'customers.id', storage })
 */
export function checkComparable(one: SqlIdColumn, other: SqlIdColumn): void {
  const [own, theirs] = [one, other].map(({ storage }) => storedIn(storage())) as [Stored, Stored]
  if (own.kind === theirs.kind) return
  const { place } = one
  throw new IdError(
    'INVALID_OPTION',
    `${place}: ${place} (${own.shown}) and ${other.place} (${theirs.shown}) are never equal in the database; use columns of ` +
      'one family and storage',
    { family: one.storage().family.name, path: place },
  )
}

interface Stored {
  readonly kind: string
  readonly shown: string
}

/** What a column has in the database. */
function storedIn({ name, family }: IdStorage<string>): Stored {
  const { name: base, layout } = baseOf(family)
  const shown = `${isPrefixed(family) && name === 'text' ? `${family.prefix}_` : ''}${base} as ${name}`
  return { kind: name === 'text' ? shown : `${name} ${JSON.stringify(layout.fields)}`, shown }
}
