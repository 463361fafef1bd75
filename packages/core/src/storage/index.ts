import type { IdFamily, StorageName } from '../family.js'
import { type Accepting, checkFamily, isAccepting, isOpaque, isPrefixed } from '../identity.js'
import { checkOptions } from '../primitives/options.js'
import { type ColumnType, columnType, type Database } from './column.js'
import { type DatabaseValue, reader, writer } from './convert.js'
import { bytesOfDriver, ofStored } from './read.js'
import { chooseStorage, converts } from './refusal.js'

export type { ColumnType, Database } from './column.js'
export type { DatabaseValue } from './convert.js'

/** Options of {@link storageFor}. */
export interface StorageOptions {
  /** The storage. Default: the first of the family's `storages` that the database has, for most families `text`. */
  readonly storage?: StorageName | undefined
  /** Whether the driver returns 64-bit integers exactly. Default: false for SQLite, true for other databases. */
  readonly exactBigint?: boolean | undefined
}

/** How the ids of one family are stored in the columns of one database. */
export interface IdStorage<AnId extends string> {
  /** The family of the ids. */
  readonly family: IdFamily<AnId>
  /** The database of the column. */
  readonly database: Database
  /** The storage in use. */
  readonly name: StorageName
  /** False if the driver reads and writes the ids' own text, as for `text`, and `uuid` of UUIDv7. */
  readonly converts: boolean
  /** The type of the column. */
  readonly column: ColumnType
  /**
   * Id → stored value. Accepts the canonical text and the form of every storage of the family; null stays null.
   *
   * @throws {IdError} for a malformed id, or one that the column can't store.
   */
  toDatabase(value: null | undefined): null
  /** Id → stored value, for an id that is not null. */
  toDatabase(value: unknown): DatabaseValue
  /**
   * Stored value → id. Accepts every form in which drivers return the column, and ids; null stays null. Bytes may be a
   * Uint8Array, an ArrayBuffer, an array of numbers or a Buffer's JSON.
   *
   * @throws {IdError} for a value that is not an id of the family, without `statusCode`: the request is not at fault.
   */
  fromDatabase(value: null | undefined): null
  /** Stored value → id, for a value that is not null. */
  fromDatabase(value: unknown): AnId
}

/**
 * The storage of a family's ids in a database.
 *
 * @throws {IdError} `STORAGE_REFUSED` for a combination that would break order, precision or size, with the
 * reason; `INVALID_OPTION` for an unknown database and for a value that is not a family.
 *
 * @example
 * storageFor(flax, 'postgres').column.sql // 'text COLLATE "C"'
 * const compact = storageFor(flax, 'postgres', { storage: 'uuid' })
 * compact.toDatabase('Kpcan0M1FakODT4k') // '4b706361-6e30-4d31-4661-6b4f4454346b'
 */
export function storageFor<AnId extends string>(
  family: IdFamily<AnId>,
  database: Database,
  options: StorageOptions = {},
): IdStorage<AnId> {
  checkFamily(family)
  const kinds = { storage: 'any', exactBigint: 'boolean' } as const
  const { storage, exactBigint = database !== 'sqlite' } = checkOptions(family.name, options, kinds)
  const name = chooseStorage(family, database, storage, exactBigint)
  if (isAccepting(family)) {
    return acceptingStorage(family, storageFor(family.own, database, { storage: name }))
  }
  if (isPrefixed(family) && name !== 'text') {
    return prefixedStorage(family as never, storageFor(family.base, database, { storage: name, exactBigint }))
  }
  const write = isOpaque(family) ? family.parse : writer(family, database, name)
  const read = isOpaque(family) ? storedText(family) : reader(family, name)
  return {
    family,
    database,
    name,
    converts: converts(family, name),
    column: columnType(family, database, name),
    toDatabase: (value: unknown) => (value == null ? null : write(value)),
    fromDatabase: (value: unknown) => (value == null ? null : read(bytesOfDriver(value))),
  } as IdStorage<AnId>
}

/**
 * The storage of ids that nothing converts: text, or `uuid` for UUIDv7 in PostgreSQL.
 *
 * @param against why none may convert, for messages.
 * @throws {IdError} as {@link storageFor}.
 *
 * @example
 * plainStorage(flax, 'postgres', undefined, 'the driver passes ids as they are stored').name // 'text'
 */
export function plainStorage<AnId extends string>(
  family: IdFamily<AnId>,
  database: Database,
  wanted: StorageName | undefined,
  against: string,
): IdStorage<AnId> {
  checkFamily(family)
  return storageFor(family, database, { storage: chooseStorage(family, database, wanted, true, against) })
}

/** Reads an opaque id, which is stored as it is. */
const storedText =
  <AnId extends string>(family: IdFamily<AnId>) =>
  (value: unknown): AnId => {
    try {
      return family.parse(value) as AnId
    } catch (error) {
      throw ofStored(family, value, error)
    }
  }

/** Accepted keys are stored as they are, and a text is never taken for another form of an id. */
const acceptingStorage = <AnId extends string>(
  family: IdFamily<AnId> & Accepting<AnId>,
  own: IdStorage<AnId>,
): IdStorage<AnId> =>
  ({
    ...own,
    family,
    column: columnType(family, own.database, own.name),
    toDatabase: (value: unknown) => (typeof value === 'string' ? family.parse(value) : own.toDatabase(value)),
    fromDatabase: (value: unknown) => (family.is(value) ? value : own.fromDatabase(value)),
  }) as unknown as IdStorage<AnId>

interface BareFamily<AnId extends string> extends IdFamily<AnId> {
  withPrefix(id: string): AnId
  withoutPrefix(id: AnId): string
}

/** The compact storages of a prefixed family store ids of the base, and add the prefix on the way out. */
function prefixedStorage<AnId extends string>(
  family: BareFamily<AnId>,
  base: IdStorage<string>,
): IdStorage<AnId> {
  const write = (value: unknown): unknown => {
    if (family.is(value)) return base.toDatabase(family.withoutPrefix(value))
    if (base.family.is(value)) return family.parse(value)
    try {
      return base.toDatabase(value)
    } catch (error) {
      // For a text of no storage's form, the error of this family shows the prefix too.
      if (typeof value === 'string') family.parse(value)
      throw error
    }
  }
  const read = (value: unknown): AnId =>
    family.is(value) ? value : family.withPrefix(base.fromDatabase(value))
  return {
    ...base,
    family,
    converts: true,
    toDatabase: write,
    fromDatabase: (value: unknown) => (value == null ? null : read(value)),
  } as unknown as IdStorage<AnId>
}
