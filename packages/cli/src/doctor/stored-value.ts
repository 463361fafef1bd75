import {
  type Database,
  IdError,
  type IdFamily,
  type IdStorage,
  type StorageName,
  storageFor,
} from '@snoflax/core'
import type { Column } from './live-database.js'

const BY_TYPE: Readonly<Record<Database, Readonly<Record<string, string>>>> = {
  postgres: {
    uuid: 'uuid uuid8',
    text: 'text',
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

/** Reads a value strictly: it must be what the storage would write. */
export function readStored(storage: IdStorage<string>, value: unknown): StoredValue {
  try {
    const id = storage.fromDatabase(value)
    const expected = storage.toDatabase(id)
    if (isSame(storage.database, expected, value)) return { is: 'id', id }
    return { is: 'misplaced', id, reason: `it is not in the form of storage ${storage.name}` }
  } catch (error) {
    if (error instanceof IdError) {
      return { is: 'malformed', reason: error.message }
    }
    throw error
  }
}

function isSame(kind: Database, expected: unknown, value: unknown): boolean {
  if (expected instanceof Uint8Array)
    return value instanceof Uint8Array && Buffer.compare(expected, value) === 0
  if (typeof expected === 'string') return expected === value
  // SQLite keeps a text as a text; the other drivers give every number of 64 bits as text.
  if (kind === 'sqlite') return expected === value
  return String(expected) === String(value)
}
