import type { IdFamily } from './family.js'
import { IdError, show } from './primitives/errors.js'

/** What a prefixed family has besides the members of every family; see {@link prefixed}. */
interface Prefixed {
  readonly prefix: string
  readonly base: IdFamily
  withoutPrefix(id: string): string
  fromGenerator(generator: unknown): { generate(meta?: number): string }
}

/**
 * Code that creates a generator, for error messages; undefined if the family has a default generator. The families have
 * it as a member that their type doesn't list, so that editors don't offer it beside `generate`.
 */
export const generatorExampleOf = (family: IdFamily): string | undefined =>
  (family as { readonly generatorExample?: string }).generatorExample

/**
 * The name by which sealed texts tell families apart: `flake 1420070400000` for another epoch, `uid 6` for another
 * neighbourhood.
 *
 * @example
 * kindOf(flake.withEpoch(1_420_070_400_000)) // 'flake 1420070400000'
 */
export function kindOf(family: IdFamily): string {
  const { name, variant } = baseOf(family) as IdFamily & { readonly variant?: number }
  return variant === undefined ? name : `${name} ${variant}`
}

/**
 * Checks that the value is a family, and not its name or a constant that a circular import left undefined.
 *
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * checkFamily(flax)
 */
export function checkFamily(value: unknown, what = 'family'): asserts value is IdFamily {
  const { name, decode, storages } = (value ?? {}) as Partial<IdFamily>
  if (typeof name === 'string' && typeof decode === 'function' && Array.isArray(storages)) return
  const hint = value === undefined ? '; check for a circular import' : ''
  throw new IdError('INVALID_OPTION', `${what} must be a family such as flax, not ${show(value)}${hint}`, {
    field: 'family',
    value,
  })
}

/**
 * {@link checkFamily} for each of several families.
 *
 * @throws {IdError} `INVALID_OPTION`, with the key of the first value that is not a family.
 *
 * @example
 * checkFamilies({ Customer: flax, Order: sno }, 'registry')
 */
export function checkFamilies(
  value: unknown,
  what: string,
): asserts value is Readonly<Record<string, IdFamily>> {
  if (Object(value) !== value) {
    const message = `${what}: families must be an object or an array, not ${show(value)}`
    throw new IdError('INVALID_OPTION', message, { field: 'families', value })
  }
  for (const [name, family] of Object.entries(value as object)) checkFamily(family, `${what}: ${name}`)
}

/**
 * Whether the family's ids are ids of another family behind a prefix.
 *
 * @example
 * isPrefixed(prefixed(flax, 'cus')) // true
 */
export const isPrefixed = <AnId extends string>(
  family: IdFamily<AnId>,
): family is IdFamily<AnId> & Prefixed => 'prefix' in family && 'base' in family

/**
 * Whether the ids are opaque: without time, bytes and fields; see `opaque`.
 *
 * @example
 * isOpaque(opaque('code', { pattern: /[a-z]{8}/, generate: () => 'abcdefgh' })) // true
 */
export const isOpaque = (family: IdFamily): boolean => ownOf(family).layout === undefined

/** What a family has that also accepts other keys; see {@link accepting}. */
export interface Accepting<AnId extends string = string> {
  readonly own: IdFamily<AnId>
  readonly accepted: readonly (RegExp | IdFamily)[]
}

/**
 * Whether the family accepts other keys beside its own ids.
 *
 * @example
 * isAccepting(accepting(flax, /[a-z0-9]{24}/)) // true
 */
export const isAccepting = <AnId extends string>(
  family: IdFamily<AnId>,
): family is IdFamily<AnId> & Accepting<AnId> => 'own' in family && 'accepted' in family

/**
 * The family without the other keys that it accepts.
 *
 * @example
 * ownOf(accepting(flax, /[a-z0-9]{24}/)) === flax // true
 */
export const ownOf = <AnId extends string>(family: IdFamily<AnId>): IdFamily<AnId> =>
  isAccepting(family) ? family.own : family

/**
 * The name that an id's type and its table have in common: the prefix, or the name of opaque ids. Undefined for other
 * families, whose ids several tables have.
 *
 * @example
 * labelOf(prefixed(flax, 'cus')) // 'cus'
 */
export function labelOf(family: IdFamily): string | undefined {
  const own = ownOf(family)
  return isPrefixed(own) ? own.prefix : isOpaque(own) ? own.name : undefined
}

/**
 * The family whose bytes, tag and SQL functions the ids use: without prefix and without other keys that it accepts.
 *
 * @example
 * baseOf(prefixed(flax, 'cus')).name // 'flax'
 */
export const baseOf = (family: IdFamily): IdFamily => (isPrefixed(family) ? family.base : ownOf(family))

/**
 * Whether two families are the same: their names, prefixes and layouts, including the epoch, are equal. They need not
 * be one object: each copy of this package and each `withEpoch` creates its own. Which other keys they accept doesn't
 * matter.
 *
 * @throws {IdError} `INVALID_OPTION` for a value that is not a family.
 *
 * @example
 * isSameFamily(flake.withEpoch(0), flake) // true
 * isSameFamily(flake.withEpoch(1_420_070_400_000), flake) // false
 */
export function isSameFamily(a: IdFamily, b: IdFamily): boolean {
  if (a === b) return true
  checkFamily(a, 'isSameFamily: each')
  checkFamily(b, 'isSameFamily: each')
  return a.name === b.name && meaning(a) === meaning(b)
}

function meaning(family: IdFamily): string {
  if (isOpaque(family)) return String(ownOf(family).pattern)
  const { prefix, base } = isPrefixed(family) ? family : ({} as Partial<Prefixed>)
  return JSON.stringify([family.layout, prefix, base?.name])
}
