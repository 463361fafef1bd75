import {
  type Database,
  type DatabaseValue,
  type IdFamily,
  type IdStorage,
  type StorageName,
  storageFor,
} from '@snoflax/core'
import { hexOf, isBytes, quoteText } from '@snoflax/core/adapter'
import { oneOf, UsageError } from '../exit.js'

const STORAGES: readonly StorageName[] = ['text', 'binary', 'uuid', 'uuid8', 'bigint']

export const storageNamed = (name: string): StorageName => oneOf('storage', STORAGES, name)

/** Whether ids of the family have this form. Every id has a text, also where it is no storage, as flake's. */
export const hasForm = (family: IdFamily, form: StorageName): boolean =>
  form === 'text' || family.storages.includes(form)

/** What columns store for an id, by storage; text has its prefix. Bytes as `\x` hex, numbers in decimal. */
export function formsOf(family: IdFamily, id: string): Partial<Record<StorageName, string>> {
  const forms = STORAGES.filter((form) => hasForm(family, form))
  return Object.fromEntries(forms.map((form) => [form, formOf(family, form, id)]))
}

/** @throws {UsageError} if the family has no such form. */
export function formOf(family: IdFamily, form: StorageName, id: string): string {
  if (!hasForm(family, form)) {
    throw new UsageError(`${family.name} has no storage ${form}; it has ${family.storages.join(', ')}`)
  }
  if (form === 'text') return id
  // MySQL's numbers go to 2^64.
  const home = form === 'bigint' ? 'mysql' : 'postgres'
  const value = storageFor(family, home, { storage: form }).toDatabase(id)
  return isBytes(value) ? byteaOf(value) : String(value)
}

/** Bytes as PostgreSQL writes them: `\x` and hex digits. */
export const byteaOf = (bytes: Uint8Array): string => `\\x${hexOf(bytes)}`

/**
 * The storage for a connection that returns 64-bit integers exactly. MariaDB's uuid is not a supported storage; its
 * values are read like PostgreSQL's.
 */
export function exactStorage(family: IdFamily, kind: Database, storage: StorageName): IdStorage<string> {
  const isUuid = storage === 'uuid' || storage === 'uuid8'
  return storageFor(family, isUuid ? 'postgres' : kind, { storage, exactBigint: true })
}

/** An id as a literal of the database, in a storage. @throws {IdError} where the database refuses that. */
export const literalOf = (database: Database, family: IdFamily, storage: StorageName, id: string): string =>
  literal(database, storageFor(family, database, { storage, exactBigint: true }).toDatabase(id))

/** A value as a literal of the database, to be put into a statement. */
export function literal(database: Database, value: DatabaseValue | number): string {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  if (typeof value === 'string') return textLiteral(database, value)
  const hex = hexOf(value)
  return database === 'postgres' ? `'\\x${hex}'` : `X'${hex}'`
}

/**
 * Without backslashes, which may be escapes, and without control characters, which a terminal obeys: either would make
 * the literal of a stranger's value into something else.
 */
function textLiteral(database: Database, text: string): string {
  if (!/[\\\p{Cc}]/u.test(text)) return quoteText(text)
  if (database === 'postgres') return `E${quoteText(text.replace(/[\\\p{Cc}]/gu, escaped))}`
  const hex = `X'${Buffer.from(text).toString('hex')}'`
  return database === 'sqlite' ? `CAST(${hex} AS TEXT)` : hex
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
