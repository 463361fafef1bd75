import { baseOf, isAccepting, isPrefixed } from '../identity.js'
import { IdError } from '../primitives/errors.js'
import type { IdStorage } from '../storage/index.js'
import type { SqlIdColumn } from './ids-in-sql.js'

/**
 * Checks that two columns can have equal values: a uuid of UUIDv7 and of TypeID can, and so can an id and the same id
 * behind a prefix that is not stored, and any texts if one of the columns accepts other keys.
 *
 * @throws {IdError} `INVALID_OPTION`, with both places in the message.
 *
 * @example
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * checkComparable({ place: 'orders.customer_id', storage }, { place: 'customers.id', storage })
 */
export function checkComparable(one: SqlIdColumn, other: SqlIdColumn): void {
  const [own, theirs] = [one, other].map(({ storage }) => storedIn(storage())) as [Stored, Stored]
  if (own.kind === theirs.kind || (own.isText && theirs.isText && (own.isOpen || theirs.isOpen))) return
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
  readonly isText: boolean
  /** Whether it may have other keys than the family's. */
  readonly isOpen: boolean
}

/** What a column has in the database. */
function storedIn({ name, family }: IdStorage<string>): Stored {
  const { name: base, layout } = baseOf(family)
  const shown = `${isPrefixed(family) && name === 'text' ? `${family.prefix}_` : ''}${base} as ${name}`
  const isText = name === 'text'
  const kind = isText ? shown : `${name} ${JSON.stringify(layout.fields)}`
  return { kind, shown, isText, isOpen: isAccepting(family) }
}
