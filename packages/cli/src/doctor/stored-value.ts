import {
  type Database,
  IdError,
  type IdFamily,
  type IdStorage,
  isPlausible,
  readings,
  type StorageName,
  storageFor,
} from '@snoflax/core'
import { isBytes, isPrefixed } from '@snoflax/core/adapter'
import { hexOf } from '../ids/forms.js'
import type { Column } from './live-database.js'

const BY_TYPE: Readonly<Record<Database, Readonly<Record<string, string>>>> = {
  postgres: {
    uuid: 'uuid uuid8',
    text: 'text',
    citext: 'text',
    varchar: 'text',
    bpchar: 'text',
    bytea: 'binary',
    int8: 'bigint',
  },
  // By affinity. SQLite keeps what it is given, so the values decide.
  sqlite: {
    text: 'text binary',
    blob: 'binary text bigint',
    integer: 'bigint text binary',
    numeric: 'text bigint binary',
    real: 'text bigint binary',
  },
  mysql: {
    char: 'text',
    varchar: 'text',
    text: 'text',
    binary: 'binary',
    varbinary: 'binary',
    blob: 'binary',
    bigint: 'bigint',
  },
  // It refuses UUIDv8 of our variant.
  mariadb: { uuid: 'uuid' },
}

/** The storages that a column's type can be. */
export function storagesOf(kind: Database, { type }: Column): readonly StorageName[] {
  const found = BY_TYPE[kind][type] ?? (kind === 'mariadb' ? BY_TYPE.mysql[type] : undefined)
  return (found?.split(' ') ?? []) as StorageName[]
}

/** What a value in a column of ids is. */
export type StoredValue =
  | { readonly is: 'id'; readonly id: string }
  /** An id of the family in a form that this column should not have. */
  | { readonly is: 'misplaced'; readonly id: string; readonly reason: string }
  | { readonly is: 'malformed'; readonly reason: string }

/**
 * A storage for values of a connection that keeps 64 bits. MariaDB's uuid is refused as a storage; its values
 * read as PostgreSQL's do.
 */
export function exactStorage(family: IdFamily, kind: Database, storage: StorageName): IdStorage<string> {
  const isUuid = storage === 'uuid' || storage === 'uuid8'
  return storageFor(family, isUuid ? 'postgres' : kind, { storage, exactBigint: true })
}

/** Reads a value strictly: it must be what the storage would write. What another form has is misplaced. */
export function readStored(storage: IdStorage<string>, value: unknown): StoredValue {
  const misplaced = (id: string): StoredValue => ({
    is: 'misplaced',
    id,
    reason: `${shown(value)} is the id ${id} in another form`,
  })
  try {
    const id = storage.fromDatabase(value)
    if (isSame(storage.database, storage.toDatabase(id), value)) return { is: 'id', id }
    // Base64 of the bytes has the length of a text, and reads as an id of any time.
    if (isPlausible(storage.family, id)) return misplaced(id)
    return { is: 'malformed', reason: `${shown(value)} is ${nameOf(value, storage)}` }
  } catch (error) {
    if (!(error instanceof IdError)) throw error
    const id = recovered(storage.family, value)
    if (id !== undefined) return misplaced(id)
    const isText = storage.name === 'text' && typeof value === 'string'
    return {
      is: 'malformed',
      reason: isText ? error.message : `${shown(value)} is ${nameOf(value, storage)}`,
    }
  }
}

/** The id of a value that is just what the storage would write. */
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
  // SQLite keeps a text as a text; the other drivers give every number of 64 bits as text.
  if (kind === 'sqlite') return expected === value
  return String(expected) === String(value)
}

/**
 * The one id of the family that a value is in the form of any storage, in any case, behind blanks, zeros or quotes.
 * Undefined where none fits or several do.
 */
function recovered(family: IdFamily, value: unknown): string | undefined {
  const base = isPrefixed(family) ? family.base : family
  const withPrefix = (id: string): string => (isPrefixed(family) ? `${family.prefix}_${id}` : id)
  const texts = textsOf(value, base.byteLength)
  // Of an alphabet with both cases, letters of the other one are other digits.
  if (!family.is(family.max.toUpperCase())) texts.push(...texts.map((text) => text.toLowerCase()))
  if (!family.is(family.max.toLowerCase())) texts.push(...texts.map((text) => text.toUpperCase()))
  for (const text of texts) {
    const own = readings(text, [family]).filter((one) => isPlausible(one.family, one.id))
    const bare = isPrefixed(family) ? readings(text, [base]) : []
    const found = [
      ...own.map((one) =>
        isPrefixed(one.family) && !isPrefixed(family) ? one.family.withoutPrefix(one.id) : one.id,
      ),
      ...bare.flatMap((one) => (isPrefixed(one.family) || !one.plausible ? [] : [withPrefix(one.id)])),
    ]
    const [id, ...others] = new Set(found)
    if (id !== undefined && others.length === 0) return id
  }
  return undefined
}

const AROUND = /^(?:urn:uuid:|[\s\0\uFEFF"'{])+|[\s\0\uFEFF"'}]+$/g

function textsOf(value: unknown, byteLength: number): string[] {
  if (!isBytes(value)) return [String(value).replace(AROUND, '')]
  const text = Buffer.from(value).toString('latin1').replace(AROUND, '')
  const isPadded = value.length > byteLength && value.subarray(byteLength).every((byte) => byte === 0)
  return [
    hexOf(isPadded ? value.subarray(0, byteLength) : value),
    ...(/^[\x21-\x7e]+$/.test(text) ? [text] : []),
  ]
}

/** A value for people: bytes as `\x…`, text in quotes, a uuid or a number as it is. */
export function shown(value: unknown): string {
  if (isBytes(value)) return hexOf(value)
  return typeof value === 'string' && !UUID.test(value) && !/^-?\d+$/.test(value)
    ? JSON.stringify(value)
    : String(value)
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-([\da-f])[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/i

/** What a value is that is no id of the storage's family. */
function nameOf(value: unknown, { family, name }: IdStorage<string>): string {
  const version = typeof value === 'string' && UUID.exec(value)?.[1]
  if (version)
    return `a UUID of version ${Number.parseInt(version, 16)}, and no ${family.name} in storage ${name}`
  if (isBytes(value) && value.length !== family.byteLength)
    return `${value.length} bytes long, and a ${family.name} has ${family.byteLength}`
  return `no ${family.name} in storage ${name}`
}
