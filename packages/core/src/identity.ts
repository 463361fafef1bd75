import type { IdFamily } from './family.js'
import { IdError, show } from './primitives/errors.js'

/** What a prefixed family tells besides what every family does; see {@link prefixed}. */
interface Prefixed {
  readonly prefix: string
  readonly base: IdFamily
  readonly stored: 'bare' | 'prefixed'
  withoutPrefix(id: string): string
}

/**
 * Refuses what is no family: a constant that a circular import has not filled yet, or the name of a family.
 *
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * checkFamily(flax)
 */
export function checkFamily(given: unknown, what = 'family'): asserts given is IdFamily {
  const { name, decode, storages } = (given ?? {}) as Partial<IdFamily>
  if (typeof name === 'string' && typeof decode === 'function' && Array.isArray(storages)) return
  const hint = given === undefined ? '; check for a circular import' : ''
  throw new IdError('INVALID_OPTION', `${what} must be a family such as flax, not ${show(given)}${hint}`, {
    field: 'family',
    value: given,
  })
}

/**
 * {@link checkFamily} for each of several families.
 *
 * @throws {IdError} `INVALID_OPTION`, with the name of the first that is no family.
 *
 * @example
 * checkFamilies({ Customer: flax, Order: sno }, 'registry')
 */
export function checkFamilies(
  given: unknown,
  what: string,
): asserts given is Readonly<Record<string, IdFamily>> {
  if (Object(given) !== given) {
    throw new IdError(
      'INVALID_OPTION',
      `${what}: families must be an object or an array, not ${show(given)}`,
      {
        field: 'families',
        value: given,
      },
    )
  }
  for (const [name, family] of Object.entries(given as object)) checkFamily(family, `${what}: ${name}`)
}

/**
 * Whether ids of the family have a prefix before the text of another family's.
 *
 * @example
 * isPrefixed(prefixed(flax, 'cus')) // true
 */
export const isPrefixed = <AnId extends string>(
  family: IdFamily<AnId>,
): family is IdFamily<AnId> & Prefixed => 'prefix' in family && 'base' in family

/**
 * The family whose bytes, tag and SQL functions the ids have: the base of a prefixed one, else the family itself.
 *
 * @example
 * baseOf(prefixed(flax, 'cus')).name // 'flax'
 */
export const baseOf = (family: IdFamily): IdFamily => (isPrefixed(family) ? family.base : family)

/**
 * Whether ids of the one mean the same as ids of the other: name, prefix and layout are equal, so epoch and bits are
 * too. Families that were created separately, or by two copies of this package, need not be one object.
 *
 * @example
 * isSameFamily(flake.withEpoch(0), flake) // true
 * isSameFamily(flake.withEpoch(1_420_070_400_000), flake) // false
 */
export function isSameFamily(a: IdFamily, b: IdFamily): boolean {
  return a === b || (a.name === b.name && meaning(a) === meaning(b))
}

function meaning(family: IdFamily): string {
  const { prefix, base, stored } = isPrefixed(family) ? family : ({} as Partial<Prefixed>)
  return JSON.stringify([family.layout, prefix, base?.name, stored])
}
