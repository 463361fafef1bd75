import { type Database, IdError, type IdFamily, type IdStorage, type StorageName } from '@snoflax/core'
import { baseOf, isBytes, isOpaque, isPrefixed } from '@snoflax/core/adapter'
import { isPlausible, readings } from '@snoflax/core/inspect'
import { byteaOf } from '../ids/forms.js'
import type { Column } from '../live/database.js'
import { valueTypesIn } from '../live/value-types.js'

/** Numbers of fewer than 64 bits, and decimals, which no family stores. */
const OTHER_NUMBERS = /^(?:int[24]|numeric|(?:tiny|small|medium)?int|decimal)$/

export function storagesOf(kind: Database, { type }: Pick<Column, 'type'>): readonly StorageName[] {
  const isOther = kind !== 'sqlite' && OTHER_NUMBERS.test(type)
  return valueTypesIn(kind, type).flatMap((stored): StorageName[] => {
    if (stored === 'number') return isOther ? [] : ['bigint']
    // MariaDB's uuid refuses UUIDv8 with our variant.
    if (stored === 'uuid') return kind === 'postgres' ? ['uuid', 'uuid8'] : ['uuid']
    return [stored]
  })
}

/** What values begin with: text columns store the prefix, compact ones don't. */
export const headOf = ({ family, name }: Pick<IdStorage<string>, 'family' | 'name'>): string =>
  isPrefixed(family) && name === 'text' ? `${family.prefix}_` : ''

export const bareId = (family: IdFamily, id: string): string =>
  isPrefixed(family) ? family.withoutPrefix(id as never) : id

/** The storage, with the prefix of its values. */
export function formName(storage: IdStorage<string>): string {
  const head = headOf(storage)
  return head === '' ? storage.name : `${storage.name} with prefix ${head}`
}

type StoredValue =
  | { readonly is: 'id'; readonly id: string }
  /** An id of the family, in the form of another storage. */
  | { readonly is: 'misplaced'; readonly id: string; readonly reason: string }
  | { readonly is: 'malformed'; readonly reason: string }

/** Reads a value strictly: it must be what the storage would write. An id in another form is misplaced. */
export function readStored(storage: IdStorage<string>, value: unknown): StoredValue {
  const misplaced = (id: string): StoredValue => ({
    is: 'misplaced',
    id,
    reason: `${shown(value)} is the id ${id} in another form`,
  })
  try {
    const id = storage.fromDatabase(value)
    if (isSame(storage.database, storage.toDatabase(id), value)) return { is: 'id', id }
    // Base64 of the bytes can have the length of a text and read as an id.
    if (isPlausible(storage.family, id)) return misplaced(id)
    return { is: 'malformed', reason: `${shown(value)} is ${nameOf(value, storage)}` }
  } catch (error) {
    if (!(error instanceof IdError)) throw error
    const id = recovered(storage.family, value)
    if (id !== undefined) return misplaced(id)
    const isText = storage.name === 'text' && typeof value === 'string'
    const reason = isText ? error.message : `${shown(value)} is ${nameOf(value, storage)}`
    const isNamed = error.code === 'WRONG_PREFIX'
    return { is: 'malformed', reason: (isNamed ? undefined : otherPrefix(storage.family, value)) ?? reason }
  }
}

/** The id of a value that is exactly what the storage would write. */
export function strictId(storage: IdStorage<string>, value: unknown): string | undefined {
  try {
    const id = storage.fromDatabase(value)
    return isSame(storage.database, storage.toDatabase(id), value) ? id : undefined
  } catch (error) {
    if (error instanceof IdError) return undefined
    throw error
  }
}

function isSame(kind: Database, expected: unknown, value: unknown): boolean {
  if (isBytes(expected)) return isBytes(value) && Buffer.compare(expected, value) === 0
  if (typeof expected === 'string') return expected === value
  // SQLite stores text as text; the other drivers return 64-bit numbers as text.
  if (kind === 'sqlite') return expected === value
  return String(expected) === String(value)
}

/**
 * The id of the family that a value contains in the form of any storage, in any case, with blanks, zeros or quotes
 * around it. Undefined if none or several fit.
 */
function recovered(family: IdFamily, value: unknown): string | undefined {
  if (isOpaque(family)) return undefined
  const base = baseOf(family)
  const head = isPrefixed(family) ? `${family.prefix}_` : ''
  const texts = textsOf(value, base.byteLength)
  // In an alphabet with both cases, changing the case changes the id.
  if (!family.is(family.max.toUpperCase())) texts.push(...texts.map((text) => text.toLowerCase()))
  if (!family.is(family.max.toLowerCase())) texts.push(...texts.map((text) => text.toUpperCase()))
  for (const text of texts) {
    const found = readings(text, [family, base]).flatMap((one) => {
      const isOther = isPrefixed(family) && isPrefixed(one.family) && one.family.prefix !== family.prefix
      return one.plausible && !isOther ? head + bareId(one.family, one.id) : []
    })
    const [id, ...others] = new Set(found)
    if (id !== undefined && others.length === 0) return id
  }
  return undefined
}

/** The reason against an id with another prefix than the declared one: the declaration may be what is wrong. */
function otherPrefix(family: IdFamily, value: unknown): string | undefined {
  if (!isPrefixed(family) || typeof value !== 'string') return undefined
  const prefixes = readings(value, [family.base]).flatMap((one) =>
    isPrefixed(one.family) ? one.family.prefix : [],
  )
  return prefixes.length === 0
    ? undefined
    : `${shown(value)} has the prefix ${prefixes[0]}_, but the column is declared with ${family.prefix}_; correct the declaration, or the value`
}

const AROUND = /^(?:urn:uuid:|[\s\0\uFEFF"'{])+|(?<![\s\0\uFEFF"'}])[\s\0\uFEFF"'}]+$/g

function textsOf(value: unknown, byteLength: number): string[] {
  if (!isBytes(value)) return [String(value).replace(AROUND, '')]
  const text = Buffer.from(value).toString('latin1').replace(AROUND, '')
  const isPadded = value.length > byteLength && value.subarray(byteLength).every((byte) => byte === 0)
  return [
    byteaOf(isPadded ? value.subarray(0, byteLength) : value),
    ...(/^[\x21-\x7e]+$/.test(text) ? [text] : []),
  ]
}

/** A value for messages: bytes as `\x…`, text in quotes, UUIDs and numbers unchanged. */
export function shown(value: unknown): string {
  if (isBytes(value)) return byteaOf(value)
  return typeof value === 'string' && !UUID.test(value) && !/^-?\d+$/.test(value)
    ? JSON.stringify(value)
    : String(value)
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-([\da-f])[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/i

/** Describes a value that is not an id of the storage's family. */
function nameOf(value: unknown, { family, name }: IdStorage<string>): string {
  const version = typeof value === 'string' && UUID.exec(value)?.[1]
  if (version)
    return `a UUID of version ${Number.parseInt(version, 16)}, not ${family.name} in storage ${name}`
  if (isBytes(value) && !isOpaque(family) && value.length !== family.byteLength)
    return `${value.length} bytes long, but ${family.name} has ${family.byteLength}`
  return `not ${family.name} in storage ${name}`
}
