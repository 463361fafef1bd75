import type { IdFamily } from './family.js'

/**
 * Whether ids of the one mean the same as ids of the other: name and layout are equal, so epoch and bits are
 * too. Families that were made apart, or by two copies of this package, need not be one object.
 *
 * @example
 * isSameFamily(flake.withEpoch(0), flake) // true
 * isSameFamily(flake.withEpoch(1_420_070_400_000), flake) // false
 */
export function isSameFamily(a: IdFamily, b: IdFamily): boolean {
  return a === b || (a.name === b.name && JSON.stringify(a.layout) === JSON.stringify(b.layout))
}
