import type { Id } from '../family.js'
import { type LightFamily, lightFamily } from '../light-family.js'
import { checkerOf, checkPrefix, refuse, refuseText } from './text.js'

/** A light family of ids with a prefix. */
export type LightPrefixedFamily<Prefix extends string> = LightFamily<Id<Prefix>>

/**
 * Ids with a prefix that names their kind: the family of `@snoflax/core` as far as a browser needs it. See {@link flax}.
 *
 * @param base a family without a prefix.
 * @param prefix 1 to 63 of a-z, 0-9 and `_`; it begins with a letter and doesn't end with `_`.
 * @throws {IdError} `INVALID_OPTION` for a malformed prefix, and a base that is not a family without a prefix.
 *
 * @example
 * const customerId = prefixed(flax, 'cus')
 * customerId.parse('cus_Kpcan0M1FakODT4k') // Id<'cus'>
 */
export function prefixed<const Prefix extends string>(
  base: LightFamily,
  prefix: Prefix,
): LightPrefixedFamily<Prefix> {
  checkPrefix(prefix)
  if (typeof base?.parse !== 'function' || 'prefix' in base)
    refuse('base', base, 'the base must be a family without a prefix')
  return withPrefix(base, prefix)
}

/** {@link prefixed} without its checks. */
export function withPrefix<const Prefix extends string>(
  base: LightFamily,
  prefix: Prefix,
): LightPrefixedFamily<Prefix> {
  const head = `${prefix}_`
  const definition = {
    ...base,
    name: prefix,
    textLength: base.textLength && head.length + base.textLength,
    check: checkerOf(head, base),
    refuse: (text: string) => refuseText(prefix, base, text),
    timeOf: (id: string) => base.timeMs(id.slice(head.length)),
  }
  const family = lightFamily(definition, () => head + base.generate())
  return Object.assign(family, { prefix }) as never
}
