import { flake, flax, IdError, type IdFamily, prefixed, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import { baseOf, isPrefixed, snakeCase } from '@snoflax/core/adapter'
import { type IdReading, readings, refusals } from '@snoflax/core/inspect'
import { discord, twitter, uid, uidLocal } from '@snoflax/families'
import { oneOf, UsageError } from '../exit.js'

export interface FamilyOptions {
  readonly epoch?: number | undefined
  readonly neighbourhood?: number | undefined
}

/**
 * The families to try for a value, the one with the smallest alphabet first: what reads as a sno reads
 * as flax and uid too.
 */
export function families({ epoch, neighbourhood }: FamilyOptions = {}): readonly IdFamily[] {
  return [
    sno,
    neighbourhood === undefined ? uid : uid.withNeighbourhood(neighbourhood),
    flax,
    uidLocal,
    epoch === undefined ? flake : flake.withEpoch(epoch),
    uuid7,
  ]
}

/**
 * The same for a text. Any UUID is a ULID, so ULIDs and TypeIDs are recognized only by their own text, and Twitter's and
 * Discord's numbers only if they are large: smaller ones of any kind read as times in the first months after an epoch.
 */
export function familiesFor(text: string, options?: FamilyOptions): readonly IdFamily[] {
  const kinds = [ulid, ...typeidsOf(text)].filter((one) => one.is(text))
  return [...families(options), ...kinds, ...(SNOWFLAKE.test(text) ? [twitter, discord] : [])]
}

const SNOWFLAKE = /^[1-9]\d{17,18}$/

/** The kind of TypeID that a text is, if it looks like one. */
export function typeidsOf(text: string): readonly IdFamily[] {
  const [, type] = TYPEID.exec(text) ?? []
  return type === undefined ? [] : [typeid(type)]
}

const TYPEID = /^([a-z](?:[a-z_]{0,61}[a-z])?)_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** TypeIDs without their type, which `--prefix` gives. */
const suffix = typeid('any').base

/** The family with ids behind the prefix, if there is one. @throws {UsageError} */
export function withPrefix(family: IdFamily, prefix: string | undefined): IdFamily {
  if (prefix === undefined) return family
  try {
    return prefixed(family, prefix)
  } catch (error) {
    if (error instanceof IdError) throw new UsageError(`prefix: ${error.message}`)
    throw error
  }
}

/** The name of a family and its prefix, such as `flax behind cus_`. */
export const behindPrefix = (family: IdFamily): string =>
  `${baseOf(family).name}${isPrefixed(family) ? ` behind ${family.prefix}_` : ''}`

/** A reading, also of a sealed text. */
export type Reading = Omit<IdReading, 'form'> & { readonly form: IdReading['form'] | 'sealed' }

/** Opens and writes the sealed texts of @snoflax/seal. */
export interface Seals {
  /** What a text opens as: an id of each family that it was sealed for, which is one or none. */
  open(text: string, known: readonly IdFamily[]): Reading[]
  seal(family: IdFamily, id: string): string
}

/** What the input reads as. With a prefix, texts have that one, or none as in a column. */
export function readingsOf(
  input: string,
  known: readonly IdFamily[],
  prefix: string | undefined,
  seals?: Seals,
): { found: Reading[]; refusals: string[] } {
  // A TypeID has a prefix of its own.
  const own = known.filter(
    (family) => prefix === undefined || !isPrefixed(family) || family.prefix === prefix,
  )
  const kinds = own.map((family) => (isPrefixed(family) ? family : withPrefix(family, prefix)))
  const read = (families: readonly IdFamily[]): Reading[] => {
    const opened = seals?.open(input, families) ?? []
    return opened.length > 0 ? opened : readings(input, families)
  }
  const found = read(kinds)
  if (prefix !== undefined && found.length === 0) {
    for (const { family, form, id, plausible } of read(own)) {
      const kind = kinds[own.indexOf(family)]
      if (kind !== undefined) found.push({ family: kind, form, id: `${prefix}_${id}`, plausible })
    }
  }
  if (found.length > 0) return { found, refusals: [] }
  const lowered = input.replace(/^[^_]+(?=_)/, (head) => head.toLowerCase())
  if (lowered !== input && readingsOf(lowered, known, prefix, seals).found.length > 0) {
    return { found, refusals: [`prefixes are lower-case; pass ${lowered}`] }
  }
  const raised = input.toUpperCase()
  if (known.length > 1 && ulid.is(raised)) {
    return { found, refusals: [`ULIDs are upper-case; pass ${raised}. A TypeID begins with its prefix`] }
  }
  return { found, refusals: reasons(input, own, kinds) }
}

/** Why no family reads the input: one reason for its prefix, or for what follows it, instead of one per family. */
function reasons(input: string, bare: readonly IdFamily[], kinds: readonly IdFamily[]): string[] {
  const head = kinds.find(isPrefixed)?.prefix ?? PREFIX.exec(input)?.[1]
  const short = nearlyAsLong(input, head, bare)
  if (short !== undefined && kinds.length > 1) return [short]
  if (head !== undefined && input.startsWith(`${head}_`) && kinds.length > 1) {
    const [rest, names] = [input.slice(head.length + 1), bare.map(({ name }) => name)]
    return [
      `${JSON.stringify(rest)} after ${JSON.stringify(`${head}_`)} is not an id of ${names.join(', ')}; pass --family to see why`,
    ]
  }
  const refused = refusals(input, kinds)
  const behind = readings(input, bare).map(({ family }) => baseOf(family))
  const wrong = refused.filter(({ error }) => error.code === 'WRONG_PREFIX')
  const likeliest = wrong.find(({ family }) => behind.includes(baseOf(family))) ?? wrong[0]
  const kept = refused.filter((one) => one === likeliest || !wrong.includes(one))
  // Of other lengths, or from the first character on, it is not a misspelled id of the family.
  const near = kept.filter(({ error: { code, position } }) => code !== 'INVALID_LENGTH' && position !== 0)
  if (near.length === 0 && kept.length > 1)
    return ['no known kind of id has this form; pass --family to see why']
  return [...new Set((near.length > 0 ? near : kept).map(({ error }) => error.message))]
}

/** What is missing or too much, if that is one or two characters of a flax: the usual slip when copying. */
function nearlyAsLong(
  input: string,
  head: string | undefined,
  known: readonly IdFamily[],
): string | undefined {
  const kind = head === undefined || !input.startsWith(`${head}_`) ? flax : prefixed(flax, head)
  const [refusal] = known.includes(flax) ? refusals(input, [kind]) : []
  if (refusal?.error.code !== 'INVALID_LENGTH') return undefined
  const rest = isPrefixed(kind) ? input.slice(kind.prefix.length + 1) : input
  const isNear = Math.abs(rest.length - Number(flax.textLength)) <= 2 && /^[\w-]+$/.test(rest)
  return isNear ? refusal.error.message : undefined
}

const PREFIX = /^([a-z](?:[a-z0-9_]*[a-z0-9])?)_/

/** The family of a name, which may be written as in SQL too. @throws {UsageError} */
export function familyNamed(name: string, options?: FamilyOptions): IdFamily {
  const known = [...families(options), ulid, suffix, twitter, discord] as readonly IdFamily[]
  const inSql = known.find((family) => snakeCase(family.name) === name)
  const names = known.map((family) => family.name)
  return inSql ?? (known[names.indexOf(oneOf('family', names, name))] as IdFamily)
}
