import { type Database, flax, type IdFamily, prefixed, type StorageName, ulid, uuid7 } from '@snoflax/core'
import { isBytes, isPrefixed } from '@snoflax/core/adapter'
import { isPlausible, readings } from '@snoflax/core/inspect'
import { discord, twitter } from '@snoflax/families'
import { families as coreFamilies, typeidsOf } from '../ids/families.js'
import { exactStorage } from '../ids/forms.js'
import { type Column, placeOf } from '../live/database.js'
import type { StoredIds } from './id-column.js'
import { storagesOf, strictId } from './stored-value.js'

/** Other values sometimes look like ids; UUIDs derived from text hardly ever. */
const ENOUGH: Readonly<Record<StorageName, number>> = { uuid: 1, uuid8: 1, text: 8, binary: 8, bigint: 8 }

/** A prefix tells ids from other texts, in a key that sorts as ids do. */
const hasPrefixInOrder = (
  kind: Database,
  { family, column: { isKey, collation = 'C' } }: StoredIds,
): boolean =>
  isKey &&
  isPrefixed(family) &&
  (kind === 'mysql' || kind === 'mariadb' ? MYSQL_BYTES : BYTES).test(collation)

const BYTES = /^(?:C|BINARY)$/
const MYSQL_BYTES = /_bin$|^binary$/
/** The least share of a column's values that are ids of its family. */
export const SHARE = 0.8
/** The least share of a key's values for a family that is not the only one. */
const LEAST = 0.25

/** Some values of a column, and the families that may be theirs. */
export interface Sample {
  readonly kind: Database
  readonly column: Column
  readonly families: readonly IdFamily[]
  readonly values: readonly unknown[]
}

/**
 * What a column's sample reads as: ids of one family, generated between 2010 and now. In a key, values without the
 * shape of the family's ids don't count, since it may have had other ids before. Nor do ids of a second family.
 */
export function recognized(sample: Sample, notes: string[]): StoredIds | undefined {
  const { kind, column, values } = sample
  const isKey = isKeyLike(column)
  const rated = candidates(sample).map((fit) => {
    const restored = values.map((value) => bare(fit, value))
    const ids = restored.map((value) => idOf(fit, value))
    const likely = ids.map((id) => id !== undefined && isLikely(fit, id))
    const shaped = isKey ? restored.filter((value, n) => isShaped(fit, value, ids[n])).length : values.length
    return { fit, likely, restored, shaped, count: likely.filter(Boolean).length }
  })
  const enough = rated.filter(({ fit, count, likely, restored }) => {
    if (count < (hasPrefixInOrder(kind, fit) ? 1 : ENOUGH[fit.storage.name])) return false
    const texts = restored.filter(
      (value, n): value is string => likely[n] === true && typeof value === 'string',
    )
    return fit.storage.name !== 'text' || mixesCases(fit.family, texts)
  })
  const sure = enough.filter(
    ({ fit, count, shaped }) => count >= (isSnowflake(fit) ? values.length : SHARE * shaped),
  )
  const [first] = sure
  if (first) {
    const rivals = sure.filter(({ fit }) => isSnowflake(fit)).map(({ fit }) => fit.family.name)
    if (!isSnowflake(first.fit) || rivals.length === 1) return first.fit
    notes.push(
      `${placeOf(column)} contains numbers that could be ids of ${rivals.join(' or of ')}: name one with --column ${placeOf(column)}=${rivals[0]}`,
    )
    return undefined
  }
  const own = enough.filter(({ fit, count, shaped }) => !isSnowflake(fit) && count >= LEAST * shaped)
  const [most] = own.sort((a, b) => b.count - a.count)
  if (most === undefined && column.isKey && column.references === undefined) {
    const few = rated.find(
      ({ fit, count, shaped }) =>
        count > 0 && count < ENOUGH.text && count >= SHARE * shaped && fit.storage.name === 'text',
    )
    if (few) notes.push(tooFew(few.fit, few.count))
  }
  if (!isKey || most === undefined) return undefined
  const together = values.filter((_, n) => own.some(({ likely }) => likely[n])).length
  return together >= SHARE * most.shaped ? most.fit : undefined
}

function tooFew({ column, family }: StoredIds, count: number): string {
  const place = placeOf(column)
  const named = isPrefixed(family) ? `${family.base.name}:${family.prefix}_` : family.name
  return `${place} could contain ids, but ${count} ${count === 1 ? 'value is' : 'values are'} too few to tell: npx snoflax doctor "$DATABASE_URL" --column ${place}=${named}`
}

const SNOWFLAKES: readonly IdFamily[] = [twitter, discord]
const isSnowflake = ({ family }: StoredIds): boolean => SNOWFLAKES.includes(family)

/** Each family and storage that the values may have. */
function candidates({ kind, column, families, values }: Sample): StoredIds[] {
  return storagesOf(kind, column).flatMap((name) => {
    const numbers = name === 'bigint' && isKeyLike(column) ? SNOWFLAKES : []
    const known = [...families, ...(name === 'text' ? ofTexts(values) : numbers)]
    return known
      .filter((family) => family.storages.includes(name))
      .map((family) => ({ column, family, storage: exactStorage(family, kind, name), evidence: 'values' }))
  })
}

/** A value without the padding of types of a fixed length. */
function bare({ storage, family: { byteLength } }: StoredIds, value: unknown): unknown {
  if (storage.name === 'text') return typeof value === 'string' ? value.trimEnd() : undefined
  const isPadded =
    isBytes(value) && value.length > byteLength && value.subarray(byteLength).every((byte) => byte === 0)
  return isPadded ? value.subarray(0, byteLength) : value
}

/** The families of a text column, by its first value: prefixed ids, TypeIDs, ULIDs. */
function ofTexts(values: readonly unknown[]): IdFamily[] {
  const first = values.find((value): value is string => typeof value === 'string')?.trim()
  if (first === undefined) return []
  const kinds = PREFIXED.test(first)
    ? readings(first, coreFamilies()).flatMap(({ family }) => (isPrefixed(family) ? [family] : []))
    : []
  return [
    ...typeidsOf(first),
    ...(ulid.is(first) ? [ulid] : []),
    ...kinds
      .filter(({ base }) => base.storages.includes('text'))
      .map(({ base, prefix }) => prefixed(base, prefix)),
  ]
}

const PREFIXED = /^[a-z][a-z0-9_]*_[-\w]+$/

const isKeyLike = ({ isKey, references, name }: Column): boolean =>
  isKey || references !== undefined || /(?:^|_)id$|[a-z]Id$/.test(name)

/** Whether a value has the length of the family's ids and may be one. */
function isShaped({ family, storage }: StoredIds, value: unknown, id: string | undefined): boolean {
  if (value === undefined) return false
  if (storage.name === 'text') return typeof value === 'string' && value.length === family.textLength
  if (storage.name === 'binary') return isBytes(value) && value.length === family.byteLength
  if (storage.name === 'bigint') return /^\d+$/.test(String(value)) && BigInt(String(value)) >= 2n ** 50n
  // A key may have any number of other UUIDs.
  return family.name === uuid7.name || id !== undefined
}

/** The id that a value is. Values that can't be one are refused without an error, which would be slow. */
function idOf({ storage, family }: StoredIds, value: unknown): string | undefined {
  if (storage.name === 'text')
    return typeof value === 'string' && family.is(value) ? strictId(storage, value) : undefined
  if (storage.name === 'binary' && !(isBytes(value) && value.length === family.byteLength)) return undefined
  if (storage.name === 'uuid8' && String(value)[VERSION] !== '8') return undefined
  if (family.name === uuid7.name && storage.name === 'uuid' && String(value)[VERSION] !== '7')
    return undefined
  return strictId(storage, value)
}

/** The place of the version in the text of a UUID. */
const VERSION = 14

const isLikely = (fit: StoredIds, id: string): boolean =>
  isPlausible(fit.family, id) && (!isSnowflake(fit) || BigInt(id) > SNOWFLAKE)

/** Smaller numbers of any kind read as times in the first months after a snowflake's epoch. */
const SNOWFLAKE = 10n ** 17n

/**
 * If the family's alphabet has both cases, texts of digits or of one case only are codes of another kind. So are texts
 * that count up after a word, such as `Inv-2024-0000001`: the end of a flax is random.
 */
function mixesCases(family: IdFamily, texts: readonly string[]): boolean {
  if (!family.is(family.max.toUpperCase()) || !family.is(family.max.toLowerCase())) return true
  const looked = texts.map((text) => (family.name === flax.name ? text.slice(-8) : text)).join('')
  return /[a-z]/.test(looked) && /[A-Z]/.test(looked)
}
