import type { IdFamily, StorageName } from '../family.js'
import { toBigInt } from '../primitives/bytes.js'
import { IdError } from '../primitives/errors.js'
import { type ColumnType, COLUMNS, type Database } from './column.js'
import { BIGINT_BYTES, read } from './read.js'
import { toUuid, toUuid8 } from './uuid.js'

export type { ColumnType, Database } from './column.js'

/** What is bound to a statement. */
export type DatabaseValue = string | Uint8Array | bigint

export interface StorageOptions {
  /** The storage wanted. Without it, the best one that the database has for the family. */
  readonly storage?: StorageName | undefined
  /** Whether the driver keeps integers of 64 bits exact. By default only SQLite's are taken not to. */
  readonly exactBigint?: boolean | undefined
}

/** How the ids of one family lie in the columns of one database. */
export interface IdStorage<AnId extends string> {
  readonly family: IdFamily<AnId>
  readonly database: Database
  readonly name: StorageName
  readonly column: ColumnType
  /**
   * Id → database value. Takes any storage's form of the family's ids, its own too; null stays null.
   *
   * @throws {IdError} for a malformed id, or one that the column can't hold.
   */
  toDatabase(value: unknown): DatabaseValue
  toDatabase(value: null | undefined): null
  /** Database value → id. Takes whatever drivers give for the column, and ids; null stays null. */
  fromDatabase(value: unknown): AnId
  fromDatabase(value: null | undefined): null
}

/**
 * The storage of a family's ids in a database.
 *
 * @throws {IdError} `STORAGE_REFUSED` for a combination that would break order, precision or size, with the reason.
 *
 * @example
 * const storage = storageFor(flax, 'postgres')
 * storage.column.sql // 'uuid'
 * storage.toDatabase(id) // '4b706361-6e30-4d31-4661-6b4f4454346b'
 */
export function storageFor<AnId extends string>(
  family: IdFamily<AnId>,
  database: Database,
  { storage, exactBigint = database !== 'sqlite' }: StorageOptions = {},
): IdStorage<AnId> {
  const names = Object.keys(COLUMNS[database]) as StorageName[]
  const allowed = names.filter((name) => reasonAgainst(family, database, name, exactBigint) === undefined)
  const name = storage ?? allowed[0]
  const reason =
    name === undefined ? 'no storage fits its ids' : reasonAgainst(family, database, name, exactBigint)
  const columnOf = name && COLUMNS[database][name]
  if (reason !== undefined || name === undefined || columnOf === undefined) {
    throw new IdError(
      'STORAGE_REFUSED',
      `${family.name} in ${database}: storage ${name} is refused, ${reason}; use ${allowed.join(' or ')}`,
      { family: family.name, field: 'storage', value: storage },
    )
  }
  const convert = converter(family, database, name)
  const form = name === 'uuid' || name === 'uuid8' ? name : undefined
  return {
    family,
    database,
    name,
    column: columnOf(family),
    toDatabase: (value: unknown) => (value == null ? null : convert(read(family, value))),
    fromDatabase: (value: unknown) => (value == null ? null : read(family, value, form)),
  } as IdStorage<AnId>
}

/** Why ids of the family can't lie that way in the database; undefined if they can. */
function reasonAgainst(
  family: IdFamily,
  database: Database,
  name: StorageName,
  exactBigint: boolean,
): string | undefined {
  if (COLUMNS[database][name] === undefined) return REASONS[database]
  if (!family.storages.includes(name)) return `the family allows ${family.storages.join(', ')}`
  if (name === 'bigint' && family.byteLength !== BIGINT_BYTES) return `its ids have ${family.byteLength} bytes, not 8`
  if (name === 'bigint' && !exactBigint) return 'the driver rounds integers above 2^53'
  if (name === 'text' && family.textLength === undefined) return 'its texts vary in length and would not sort'
  if (name === 'uuid' && family.textLength !== 16 && family.byteLength !== 16) return 'a uuid takes 16 characters or bytes'
  if (name === 'uuid8' && family.byteLength > 14) return 'a UUIDv8 has room for 14 bytes'
  return undefined
}

const REASONS: Record<Database, string> = {
  postgres: 'PostgreSQL has no such storage',
  sqlite: 'SQLite has no uuid type',
  mysql: 'MySQL has no uuid type',
  mariadb: "MariaDB's uuid type reorders the bytes, so ids would not sort",
}

/** The largest number that the column holds, where that is less than 64 bits. */
const MAX_SIGNED = 2n ** 63n - 1n

function converter<AnId extends string>(
  family: IdFamily<AnId>,
  database: Database,
  name: StorageName,
): (id: AnId) => DatabaseValue {
  switch (name) {
    case 'text':
      return (id) => id
    case 'binary':
      return (id) => family.decode(id)
    case 'uuid':
      return (id) => toUuid(family, id)
    case 'uuid8':
      return (id) => toUuid8(family, id)
    case 'bigint':
      return (id) => {
        const value = toBigInt(family.decode(id))
        if (value > MAX_SIGNED && (database === 'postgres' || database === 'sqlite')) {
          throw new IdError(
            'FIELD_OUT_OF_RANGE',
            `${family.name}: ${id} is 2^63 or more, which a signed bigint can't hold; use an epoch nearer to now, or storage binary`,
            { family: family.name, value: id },
          )
        }
        return value
      }
  }
}
