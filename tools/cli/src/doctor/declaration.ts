import {
  type Database,
  IdError,
  type IdFamily,
  type IdStorage,
  type StorageName,
  storageFor,
} from '@snoflax/core'
import { baseOf, fitsStored, isOpaque, isPrefixed, snakeCase, sqlCall } from '@snoflax/core/adapter'
import { generatedBy, prefixedBy } from '../ids/defaults.js'
import { isDatabaseError } from '../live/address.js'
import { type Column, placeOf } from '../live/database.js'
import type { Examination } from './examination.js'
import type { IdColumn } from './id-column.js'
import { type Cure, type Finding, finding } from './report.js'
import { headOf, readStored, shown, storagesOf } from './stored-value.js'

/** Finds a type or collation that pads, truncates, reorders or changes ids: by the rules of checkColumns. */
export async function checkDeclaration(examination: Examination, idColumn: IdColumn): Promise<Finding[]> {
  const { kind } = examination.database
  const { column, family, evidence, storage } = idColumn
  const where = placeOf(column)
  const declared = column.declared || 'a column without a type'
  const target = targetOf(kind, idColumn)
  if (storage === undefined) {
    const message = `${declared} doesn't fit ${family.name} ids; store them as ${target.name}`
    return [finding('type', where, message, await cureOf(examination, idColumn, target))]
  }
  // Other people's UUIDs and ULIDs use one case only, which most types and collations keep and sort.
  if (evidence === 'values' && FOREIGN.test(family.max)) return []
  const fits = (collation: string | undefined): boolean =>
    fitsStored(kind, { type: typeOf(kind, column), length: column.length, collation }, target)
  const own = column.collation === 'BINARY' ? undefined : column.collation
  if (fits(own)) return []
  const check = fits(BY_BYTE[kind]) ? 'collation' : 'type'
  const is = check === 'type' || own === undefined ? declared : `${declared} COLLATE ${own}`
  const message = `it is ${is} and must be ${target.column.sql}`
  return [finding(check, where, message, await cureOf(examination, idColumn, target))]
}

const BY_BYTE: Readonly<Record<Database, string | undefined>> = {
  postgres: 'C',
  sqlite: undefined,
  mysql: 'ascii_bin',
  mariadb: 'ascii_bin',
}

/** The largest UUID, also as ULID and TypeID. */
const FOREIGN = /^(?:f{8}-|(?:.*_)?7z{9})/i

const IN_SQL: Readonly<Record<string, string>> = {
  varchar: 'character varying',
  bpchar: 'character',
  int8: 'bigint',
}

/** The type as the database writes it; of a domain, the base type. */
function typeOf(kind: Database, { type, declared, length }: Column): string {
  if (kind !== 'postgres') return declared.toLowerCase()
  return (IN_SQL[type] ?? type) + (length === undefined ? '' : `(${length})`)
}

/** The storage that the column should have: its own, or the database's default for the family. */
const targetOf = (kind: Database, { family, accepting = family, storage }: IdColumn): IdStorage<string> =>
  storageFor(accepting, kind, {
    exactBigint: true,
    ...(storage &&
      accepting.storages.includes(storage.name) &&
      isIn(kind, storage.name) && { storage: storage.name }),
  })

/** MySQL and SQLite have no uuid. */
const isIn = (kind: Database, name: string): boolean => kind === 'postgres' || !name.startsWith('uuid')

/** One statement that changes the column, if the database converts the values and no foreign key stands in the way. */
async function cureOf(
  { database, columns }: Examination,
  { column, family }: IdColumn,
  { name, column: { sql: type } }: IdStorage<string>,
): Promise<Cure> {
  const { kind } = database
  const { quotedTable, quotedName } = column
  const [form] = storagesOf(kind, column)
  // The text of a family without storage text is its number.
  const isDigits =
    form === 'text' && name === 'bigint' && !family.storages.includes('text') && !isPrefixed(family)
  const isCast = isDigits || (form === undefined ? name === 'text' || name === 'bigint' : form === name)
  if (!isCast) return migrationTo(name)
  if (kind === 'sqlite')
    return { leaves: `SQLite changes no column: create the table again with ${type}, and copy the rows` }
  const tied = columns.flatMap(({ column: other }) =>
    other.references === placeOf(column) || column.references === placeOf(other) ? placeOf(other) : [],
  )
  // PostgreSQL checks the keys again if both ends stay texts.
  if (tied.length > 0 && !(kind === 'postgres' && form === 'text'))
    return {
      leaves: `drop the foreign keys between it and ${tied.join(', ')}, change all to ${type}, and add the keys again`,
    }
  if (kind !== 'postgres' && name === 'binary')
    return { leaves: `cut the zeros behind the ids, then change the column to ${type}` }
  if (kind !== 'postgres') return { sql: `${STRICT};\n${await modified(database, column, type)}` }
  const cast = name === 'text' ? 'text' : type
  const using = form === name ? '' : ` USING ${quotedName}::${cast}`
  return { sql: `ALTER TABLE ${quotedTable} ALTER COLUMN ${quotedName} TYPE ${type}${using}` }
}

/** Another form of the ids is left to a person, by its name. */
export const migrationTo = (form: string): Cure => ({
  leaves: `store its ids as ${form}: write a migration that reads and converts each row`,
})

/** In other modes MySQL truncates what is too long. */
const STRICT = "SET sql_mode = 'STRICT_ALL_TABLES'"

/** MySQL's statement that changes a column's type and keeps the rest of its definition. */
async function modified(
  database: Examination['database'],
  { quotedTable, quotedName }: Column,
  type: string,
): Promise<string> {
  const [created] = await database.query(`SHOW CREATE TABLE ${quotedTable}`)
  const lines = String(created?.['Create Table']).split(/,?\n */)
  const definition = lines.find((line) => line.startsWith(`${quotedName} `)) as string
  return `ALTER TABLE ${quotedTable} MODIFY ${quotedName} ${type}${definition.slice(quotedName.length + 1).replace(TYPE, '')}`
}

const TYPE = /^\w+(?:\([^)]*\))?(?: unsigned| zerofill)*(?: CHARACTER SET \w+)?(?: COLLATE \w+)?/i

/** Finds a default that doesn't generate the column's ids, by its SQL or by evaluating it. */
export async function checkDefault(examination: Examination, idColumn: IdColumn): Promise<Finding[]> {
  const instead = await generatedInstead(examination, idColumn)
  if (instead === undefined) return []
  const { column, family, storage } = idColumn
  const message = `its default generates ${instead}, but the column stores ${family.name} as ${storage?.name}`
  return [finding('default', placeOf(column), message, cureDefault(examination, idColumn))]
}

function cureDefault({ database, installed }: Examination, { column, family, storage }: IdColumn): Cure {
  const alter = `ALTER TABLE ${column.quotedTable} ALTER COLUMN ${column.quotedName}`
  if (database.kind === 'sqlite')
    return { leaves: 'create the table again without the default, and copy the rows' }
  if (column.counter !== undefined)
    return database.kind === 'postgres'
      ? { sql: `${alter} DROP IDENTITY` }
      : { leaves: 'change the column to the same definition without AUTO_INCREMENT' }
  const isOurs = installed?.families.includes(snakeCase(baseOf(family).name) as never)
  const call = isOurs && storage && callOf(family, storage.name, installed?.schema as string)
  return { sql: call ? `${alter} SET DEFAULT ${call}` : `${alter} DROP DEFAULT` }
}

/** SQL that generates an id by pg-sql; undefined for ids that its functions can't generate. */
function callOf(family: IdFamily, storage: StorageName, schema: string): string | undefined {
  try {
    return sqlCall(family, storage, schema)
  } catch (error) {
    if (error instanceof IdError) return undefined
    throw error
  }
}

const DAY_MS = 86_400_000

/** Functions without state, whose values say more than their names: a TypeID has a prefix, or is a UUIDv7. */
const STATELESS = ['ulid', 'typeid']

async function generatedInstead(
  { database, nowMs }: Examination,
  { column, family, storage }: IdColumn,
): Promise<string | undefined> {
  const { defaultSql, counter, declared } = column
  if (storage === undefined) return undefined
  if (counter !== undefined) return `increasing numbers (${counter})`
  if (defaultSql === undefined) return undefined
  if (/\bnextval\(/i.test(defaultSql)) return 'numbers of a sequence'
  const [generator, form = generator === 'uuid7' ? 'uuid' : 'binary'] = generatedBy(defaultSql) ?? []
  const name = STATELESS.includes(String(generator)) ? undefined : generator
  // A nested call may be converted by the outer one.
  if (name !== undefined && /^(?:\(?'\w+'(?:::text)? *\|\| *)?[\w".]+\([^()]*\)\)?$/.test(defaultSql)) {
    const prefix = prefixedBy(defaultSql)
    const head = prefix === undefined ? '' : `${prefix}_`
    const isOwn = name === snakeCase(baseOf(family).name) && form === storage.name && head === headOf(storage)
    return isOwn ? undefined : `${name} as storage ${form}${head && ` with prefix ${head}`}`
  }
  // A constant marks rows without an id.
  if (name !== undefined || !defaultSql.includes('(')) return undefined
  const value = database.kind === 'postgres' ? `(${defaultSql})::${declared}` : defaultSql
  try {
    const [row] = await database.query(`SELECT ${value} AS value`)
    if (row?.['value'] == null) return undefined
    const read = readStored(storage, row['value'])
    if (read.is !== 'id') return `values such as ${shown(row['value'])}`
    if (isOpaque(family)) return undefined
    const isOfNow = Math.abs(family.timeMs(read.id) - nowMs) < DAY_MS
    return isOfNow ? undefined : `ids whose time isn't now, such as ${shown(row['value'])}`
  } catch (error) {
    // It needs functions or settings of the application, or writes.
    if (isDatabaseError(error)) return undefined
    throw error
  }
}
