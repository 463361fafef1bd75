import { deriveFamily } from '../define-family.js'
import type { Id, IdFamily, IdGenerator, IdOf } from '../family.js'
import {
  checkFamily,
  generatorExampleOf,
  isAccepting,
  isOpaque,
  isPrefixed,
  isSameFamily,
} from '../identity.js'
import { checkString } from '../primitives/errors.js'
import { type PrefixedGenerator, type PrefixedMembers, prefixGenerator, prefixMethods } from './generator.js'
import { checkerOf, checkPrefix, patternOf, refuse, refuseText } from './text.js'

export type { PrefixedGenerator } from './generator.js'
export { isPrefix, prefixOf } from './text.js'

/** A base, which may have a generator. */
type Generating = 'generate' | 'generateAt' | 'generator' | 'monotonic'

/** A family of ids with a prefix: `cus_` and the text of another family. */
export type PrefixedFamily<Prefix extends string = string, Base extends IdFamily = IdFamily> = IdFamily<
  Id<Prefix>,
  ReturnType<Base['unpack']>
> &
  PrefixedMembers<Pick<Base, Extract<keyof Base, Generating>>, Base['min'], Id<Prefix>> & {
    /** The prefix, without the `_`. */
    readonly prefix: Prefix
    /** The family of the ids behind the prefix. */
    readonly base: Base
    /** Adds the prefix to an id of the base. @throws {IdError} as the base's `parse`. */
    withPrefix<Of extends string = string>(id: IdOf<Base['min'], Of>): Id<Prefix, Of>
    /** Removes the prefix. @throws {IdError} as `parse`. */
    withoutPrefix<Of extends string = string>(id: Id<Prefix, Of>): IdOf<Base['min'], Of>
    /**
     * Adds the prefix to the ids of a generator of the base, such as a leased one.
     *
     * @throws {IdError} `INVALID_OPTION` for a generator of another family.
     */
    fromGenerator<Generator extends IdGenerator<Base['min']>>(
      generator: Generator,
    ): PrefixedGenerator<Generator, Base['min'], Id<Prefix>>
  }

/**
 * A family of ids with a prefix that names their kind, `cus_Kpcan0M1FakODT4k`, so that the compiler, `parse` and every
 * column distinguish customers from orders. Text columns store it with the prefix, compact ones without.
 *
 * @param base any family, including your own.
 * @param prefix 1 to 63 of a-z, 0-9 and `_`; it begins with a letter and doesn't end with `_`.
 * @throws {IdError} `INVALID_OPTION` for a malformed prefix, and a base that has a prefix, accepts other keys or is not a
 * family.
 *
 * @example
 * const customerId = prefixed(flax, 'cus')
 * const id = customerId.generate() // Id<'cus'>, e.g. 'cus_Kpcan0M1FakODT4k'
 * customerId.time(id) // when it was generated
 * customerId.withoutPrefix(id) // FlaxId
 */
export function prefixed<const Prefix extends string, Base extends IdFamily>(
  base: Base,
  prefix: Prefix,
): PrefixedFamily<Prefix, Base> {
  checkPrefix(prefix)
  checkFamily(base, 'prefixed: the base')
  if (isPrefixed(base))
    refuse('base', base.name, 'a family can have only one prefix; pass the family without a prefix')
  if (isOpaque(base))
    refuse(
      'base',
      base.name,
      'opaque ids have a prefix in their pattern, and what generate returns; pass a family',
    )
  if (isAccepting(base)) {
    refuse(
      'base',
      base.name,
      `accepted keys get no prefix; write accepting(prefixed(family, '${prefix}'), …)`,
    )
  }
  return derivePrefixed(base, prefix)
}

/** {@link prefixed} without its checks, for a family and a prefix of ours. */
export function derivePrefixed<const Prefix extends string, Base extends IdFamily>(
  base: Base,
  prefix: Prefix,
): PrefixedFamily<Prefix, Base> {
  const head = `${prefix}_`
  const check = checkerOf(head, base)
  const withoutPrefix = (text: string): string => {
    if (typeof text !== 'string' || !check(text)) refuseText(prefix, base, checkString(prefix, text))
    return text.slice(head.length)
  }
  const example = generatorExampleOf(base)
  const family = deriveFamily<string, unknown>({
    name: prefix,
    layout: base.layout,
    byteLength: base.byteLength,
    textLength: base.textLength === undefined ? undefined : head.length + base.textLength,
    pattern: patternOf(head, base),
    storages: [...base.storages].sort((a, b) => Number(b === 'text') - Number(a === 'text')),
    tag: base.tag,
    firstMs: base.firstMs,
    lastMs: base.lastMs,
    min: head + base.min,
    max: head + base.max,
    exactRange: base.exactRange,
    generatorExample: example && `prefixed(${base.name}, '${prefix}').fromGenerator(${example})`,
    encode: (bytes) => head + base.encode(bytes),
    decode: (text) => base.decode(withoutPrefix(text)),
    check,
    pack: (fields) => head + base.pack(fields),
    unpack: (id) => base.unpack(withoutPrefix(id)),
    timeMs: (id) => base.timeMs(withoutPrefix(id)),
    lowerBoundMs: (timeMs) => head + base.lowerBound(timeMs),
    upperBoundMs: (timeMs) => head + base.upperBound(timeMs),
    compare: (a, b) => base.compare(withoutPrefix(a), withoutPrefix(b)),
  })
  const fromGenerator = (generator: IdGenerator<string> | undefined): IdGenerator<string> => {
    if (
      typeof generator?.generate === 'function' &&
      generator.family &&
      isSameFamily(generator.family, base)
    ) {
      return prefixGenerator(head, family, generator)
    }
    return refuse('generator', generator, `${prefix}: fromGenerator takes a generator of ${base.name}`)
  }
  Object.assign(family, {
    prefix,
    base,
    withPrefix: (id: unknown) => head + base.parse(id),
    withoutPrefix,
    fromGenerator,
    ...prefixMethods(head, base),
  })
  const { generator } = base as Partial<Record<Generating, unknown>>
  if (typeof generator === 'function') {
    Object.assign(family, { generator: (options?: unknown) => fromGenerator(generator(options)) })
  }
  if (Object.hasOwn(base, 'monotonic')) {
    // The base creates its generator on first use.
    const get = () =>
      fromGenerator((base as Partial<Record<Generating, unknown>>).monotonic as IdGenerator<string>)
    Object.defineProperty(family, 'monotonic', { get })
  }
  return family as unknown as PrefixedFamily<Prefix, Base>
}
