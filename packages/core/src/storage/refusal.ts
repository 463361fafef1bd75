import type { IdFamily, StorageName } from '../family.js'
import { baseOf, isAccepting, isOpaque, ownOf } from '../identity.js'
import { IdError, show } from '../primitives/errors.js'
import { refuse } from '../primitives/options.js'
import { COLUMNS, type Database } from './column.js'
import { BIGINT_BYTES } from './read.js'
import { UUID_BYTES, UUID_TEXT, UUID8_BYTES } from './uuid.js'

/** Whether drivers read and write something else than the ids' own text. */
export const converts = ({ textLength }: IdFamily, name: StorageName): boolean =>
  name !== 'text' && !(name === 'uuid' && textLength === UUID_TEXT)

/**
 * The requested storage, or the one that the family prefers of those that the database has.
 *
 * @param against why none may convert; undefined if they may.
 * @throws {IdError} `STORAGE_REFUSED`, `INVALID_OPTION` for an unknown database.
 */
export function chooseStorage(
  family: IdFamily,
  database: Database,
  wanted: StorageName | undefined,
  exactBigint: boolean,
  against?: string,
): StorageName {
  if (!(database in COLUMNS)) {
    const reason = `database must be one of ${Object.keys(COLUMNS).join(', ')}, not ${show(database)}`
    refuse(family.name, 'database', database, reason)
  }
  if (family.storages.length === 0) {
    const cure = 'declare the column by the family itself, and parse() new ids before the insert'
    throw new IdError('STORAGE_REFUSED', `${family.name}: ids of recent() are for one route; ${cure}`, {
      family: family.name,
      field: 'storage',
    })
  }
  const reason = (name: StorageName) =>
    isAccepting(family) && name in COLUMNS.postgres && !family.storages.includes(name)
      ? 'it stores ids only, and the column also accepts other keys (replace them by `snoflax adopt` first)'
      : (reasonAgainst(baseOf(family), database, name, exactBigint) ??
        (converts(ownOf(family), name) ? against : undefined))
  const name = wanted ?? family.storages.find((one) => COLUMNS[database][one])
  if (name !== undefined && reason(name) === undefined) return name
  const allowed = (Object.keys(COLUMNS[database]) as StorageName[]).filter((one) => reason(one) === undefined)
  const refused = name === undefined ? 'no storage fits' : `cannot use storage ${name}: ${reason(name)}`
  const cures = allowed.length === 0 && against !== undefined ? ['another family'] : allowed
  const advice = cures.length > 0 ? `; use ${cures.join(' or ')}` : ''
  throw new IdError('STORAGE_REFUSED', `${family.name} in ${database}: ${refused}${advice}`, {
    family: family.name,
    field: 'storage',
    value: wanted,
  })
}

/** Why the database can't store the family's ids that way; undefined if it can. */
function reasonAgainst(
  family: IdFamily,
  database: Database,
  name: StorageName,
  exactBigint: boolean,
): string | undefined {
  const { storages, byteLength, textLength } = family
  if (!(name in COLUMNS.postgres)) return `storages are ${Object.keys(COLUMNS.postgres).join(', ')}`
  if (COLUMNS[database][name] === undefined) return MISSING[database]
  if (isOpaque(family)) {
    if (storages.includes(name)) return undefined
    return name === 'uuid'
      ? `not all texts of ${family.pattern} are UUIDs in lower case`
      : 'opaque ids are texts, without bytes'
  }
  if (!storages.includes(name)) return `the family allows ${storages.join(', ')}`
  switch (name) {
    case 'bigint':
      if (byteLength !== BIGINT_BYTES) return `its ids have ${byteLength} bytes, not 8`
      return exactBigint
        ? undefined
        : 'the driver may round integers above 2^53 (exactBigint: true says that it does not)'
    case 'text':
      return textLength === undefined ? 'its texts vary in length, so they would not sort by time' : undefined
    case 'uuid':
      if (textLength === UUID_BYTES || byteLength === UUID_BYTES) return undefined
      return 'a uuid needs 16 characters or bytes'
    case 'uuid8':
      return byteLength > UUID8_BYTES ? `a UUIDv8 has room for ${UUID8_BYTES} bytes` : undefined
    case 'binary':
      return undefined
  }
}

/** Storages that a database lacks, and why. PostgreSQL has all of them. */
const MISSING: Partial<Record<Database, string>> = {
  sqlite: 'SQLite has no uuid type',
  mysql: 'MySQL has no uuid type',
  mariadb:
    "MariaDB before 10.11.5 and 11.0.3 reorders the bytes of a uuid, and the column's definition can't know which " +
    'server it will run on',
}
