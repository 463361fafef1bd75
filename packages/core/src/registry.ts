import type { IdFamily, IdsOf } from './family.js'
import { checkFamilies, isOpaque, isPrefixed, labelOf } from './identity.js'
import { searcherOf } from './ids-in.js'
import { checkAscii, IdError, show } from './primitives/errors.js'
import { knownTimeMs } from './recent.js'

type Families = Readonly<Record<string, IdFamily>>

/** A result of {@link Registry.find}: the name in the registry, the family and the id. */
export type FoundId<Known extends Families> = {
  readonly [Name in keyof Known & string]: {
    readonly name: Name
    readonly family: Known[Name]
    readonly id: IdsOf<Known[Name]>
  }
}[keyof Known & string]

/** An id in a text: what it is, where it begins, in UTF-16 units, and when it was generated, if it tells. */
export type IdInText<Known extends Families> = FoundId<Known> & {
  readonly index: number
  readonly time: Date | undefined
}

/** The kinds of ids of an application. */
export interface Registry<Known extends Families> {
  /** The families by name, as passed. */
  readonly families: Known
  /**
   * Returns the kind of the id; undefined if the value is not an id of any of them. A text that fits two families is
   * of the one with the longer prefix.
   */
  find(value: unknown): FoundId<Known> | undefined
  /**
   * Returns the kind of the id, and throws if the value is not an id of any of them.
   *
   * @throws {IdError} `WRONG_PREFIX` if no family has this prefix; otherwise the error of the family that has it.
   */
  parse(value: unknown): FoundId<Known>
  /** Whether the value is an id of any of the families. */
  is(value: unknown): value is FoundId<Known>['id']
  /**
   * Every id in a text such as a log, a prompt, a page of JSON or HTML, in their order; in time that grows with the text's
   * length. An id stands alone: behind a letter, a digit or `_` none begins, and none ends before one, but escapes of
   * JSON, URLs and terminals count as no such character. Without a prefix a `-` counts as one; then any word that fits
   * is an id.
   *
   * @throws {IdError} `INVALID_TYPE` for anything but a string.
   *
   * @example
   * const ids = registry({ customer: prefixed(flax, 'cus'), order: prefixed(sno, 'ord') })
   * ids.idsIn('GET /customers/cus_Kpcan0M1FakODT4k?order=ord_brpk4q72xwf2m63l').map(({ name, index }) => [name, index])
   * // [['customer', 15], ['order', 42]]
   */
  idsIn(text: string): IdInText<Known>[]
}

/**
 * All kinds of ids of an application, recognized by their prefixes: for a GraphQL `node(id)`, a support tool, a log.
 *
 * @param families the families by name. Each needs its own prefix, or its own name if it is opaque; one may have none.
 * @throws {IdError} `INVALID_OPTION` for no family, for two with the same prefix or name or none, and for a value that is not
 * a family.
 *
 * @example
 * const ids = registry({ customer: prefixed(flax, 'cus'), order: prefixed(sno, 'ord') })
 * ids.find('ord_brpk4q72xwf2m63l')?.name // 'order'
 */
export function registry<const Known extends Families>(families: Known): Registry<Known> {
  checkFamilies(families, 'registry')
  if (Object.keys(families).length === 0) {
    throw new IdError('INVALID_OPTION', 'registry: pass at least one family', { field: 'families' })
  }
  const byLabel = new Map<string | undefined, Kind>()
  for (const [name, family] of Object.entries(families)) {
    const prefix = prefixOf(family)
    const label = labelOf(family)
    const other = byLabel.get(label)
    if (other !== undefined) {
      const shared =
        label === undefined ? 'no prefix' : `the ${prefix === undefined ? 'name' : 'prefix'} ${label}`
      const message = `registry: ${other.name} and ${name} both have ${shared}`
      throw new IdError('INVALID_OPTION', message, { field: name, value: label })
    }
    byLabel.set(label, { name, family, prefix })
  }
  // A text can fit two families, such as tweet_1234567890 a flax too; the longest prefix is meant, then opaque ids.
  const rank = ({ prefix, family }: Kind): number => prefix?.length ?? (isOpaque(family) ? 0 : -1)
  const kinds = [...byLabel.values()].sort((a, b) => rank(b) - rank(a))

  const find = (value: unknown) => {
    for (const { name, family } of kinds) {
      if (family.is(value)) return { name, family, id: value } as unknown as FoundId<Known>
    }
    return undefined
  }
  let search: ReturnType<typeof searcherOf> | undefined
  return {
    families,
    find,
    idsIn(text) {
      if (typeof text !== 'string') {
        throw new IdError('INVALID_TYPE', `idsIn takes a string, not ${show(text)}`, { value: text })
      }
      search ??= searcherOf(kinds.map(({ prefix, family }) => ({ prefix, pattern: family.pattern })))
      return search(text).flatMap(({ index, value }) => {
        const found = find(value)
        if (found === undefined) return []
        const timeMs = knownTimeMs(found.family, value)
        return [{ ...found, index, time: timeMs === undefined ? undefined : new Date(timeMs) }]
      })
    },
    is: (value): value is FoundId<Known>['id'] => kinds.some(({ family }) => family.is(value)),
    parse: (value) => find(value) ?? refuse(kinds, value),
  }
}

const prefixOf = (family: IdFamily): string | undefined => (isPrefixed(family) ? family.prefix : undefined)

interface Kind {
  readonly name: string
  readonly family: IdFamily
  readonly prefix: string | undefined
}

function refuse(kinds: readonly Kind[], value: unknown): never {
  if (typeof value !== 'string') {
    throw new IdError('INVALID_TYPE', `an id must be a string, not ${show(value)}`, { value })
  }
  checkAscii('registry', value)
  const meant = kinds.find(({ prefix }) => prefix !== undefined && value.startsWith(`${prefix}_`))
  meant?.family.parse(value)
  const heads = kinds.filter(({ family }) => !isOpaque(family))
  const known = [
    ...heads.map(
      ({ prefix }, at) =>
        `${at === 0 ? 'begin with ' : ''}${prefix === undefined ? 'no prefix' : `${prefix}_`}`,
    ),
    ...kinds.filter(({ family }) => isOpaque(family)).map(({ family }) => `match ${family.pattern}`),
  ]
  const message = `an id must ${known.join(' or ')}, not ${show(value)}`
  throw new IdError('WRONG_PREFIX', message, { value, position: 0 })
}
