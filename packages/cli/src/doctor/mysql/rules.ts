import { flake, type PrefixedFamily, type StorageName } from '@snoflax/core'
import { baseOf, isPrefixed, sqlFunction } from '@snoflax/core/adapter'
import { uuid7 } from '@snoflax/families'
import { type ColumnRules, curedWith, storageFault, targetOf, tiedTo } from '../declaration.js'
import type { Examination } from '../examination.js'
import type { IdColumn } from '../id-columns.js'
import type { Column, LiveDatabase } from '../live-database.js'
import type { Cure } from '../report.js'
import { headOf } from '../stored-value.js'
import { quote, SET_MODE } from './open.js'

export const mysqlRules: ColumnRules = {
  typeFault(idColumn, kind) {
    const { column, family, storage } = idColumn
    const { declared, type, length } = column
    if (type === 'uuid')
      return "MariaDB's uuid reorders the bytes before 10.11.5 and 11.0.3, so ids don't sort there"
    const fault = storageFault(kind, idColumn)
    if (fault !== undefined) return fault
    const isWide = storage?.name === 'bigint' && (family.decode(family.max)[0] as number) >= 0x80
    if (isWide && !/unsigned/i.test(declared)) return `${declared} ${SIGNED}`
    return type === 'binary' && length !== family.byteLength
      ? `${declared} pads the ${family.byteLength} bytes of an id with zeros`
      : undefined
  },
  isWarning: (fault) => fault.endsWith(SIGNED),
  hasCollationFault: ({ column: { collation }, storage }) =>
    storage?.name === 'text' && collation !== undefined && !/_bin$|^binary$/.test(collation),
  cure: changeType,
  async cureDefault({ database }, { column }) {
    if (column.counter === undefined)
      return `ALTER TABLE ${column.quotedTable} ALTER COLUMN ${column.quotedName} DROP DEFAULT`
    const modify = await modifying(database, column)
    return `${SET_MODE};\n${modify(column.declared).replace(/ AUTO_INCREMENT\b/i, '')}`
  },
  /** The column is binary meanwhile, which fits both forms. */
  async changeStorage({ database }, idColumn, updates) {
    const modify = await modifying(database, idColumn.column)
    const { sql } = targetOf('mysql', idColumn).column
    return [SET_MODE, modify('VARBINARY(255)'), ...updates, modify(sql)].join(';\n')
  },
}

const SIGNED = "can't store numbers from 2^63"

/**
 * Changes the type of the column, and of all columns that foreign keys connect to it, to the storage's. The keys are
 * dropped meanwhile, since neither end can be changed alone.
 */
async function changeType(examination: Examination, idColumn: IdColumn): Promise<Cure> {
  const { database, columns, schema } = examination
  const { name, column: target } = targetOf('mysql', withoutUuid(idColumn))
  const tied = tiedTo(columns, idColumn)
  const conversions = tied.map((one) => conversion(schema, one, name))
  if (conversions.some((one) => one !== undefined)) {
    const elsewhere = curedWith(mysqlRules, examination, tied, idColumn)
    if (elsewhere) return elsewhere
    if (conversions.some((one) => one?.check) && !CONVERTED.includes(baseOf(idColumn.family).name))
      return { leaves: `store its ids as ${name}: write a migration that reads and converts each row` }
  }
  const keys = await foreignKeysOf(
    database,
    tied.map(({ column }) => column),
  )
  const changes = await Promise.all(
    tied.map(async ({ column }, n) => {
      const modify = await modifying(database, column)
      const before = conversions[n]?.update(modify) ?? withoutZeros(column, target.length, modify)
      return [...before, modify(target.sql)]
    }),
  )
  return {
    sql: [
      SET_MODE,
      ...conversions.flatMap((one) => one?.check ?? []),
      ...keys.map(({ drop }) => drop),
      ...changes.flat(),
      ...keys.map(({ add }) => add),
    ].join(';\n'),
  }
}

/** MariaDB's uuid is no storage of MySQL's. */
const withoutUuid = (idColumn: IdColumn): IdColumn =>
  idColumn.column.type === 'uuid' ? { ...idColumn, storage: undefined } : idColumn

interface Conversion {
  /** Fails if a value is not an id, before anything is changed: an ALTER TABLE can't be rolled back. */
  readonly check?: string
  /** The statements that convert the values, in a type that fits both forms. */
  update(modify: Modify): string[]
}

/** How the values get the storage's form; undefined if the server converts them when the type changes. */
function conversion(schema: string, idColumn: IdColumn, storage: StorageName): Conversion | undefined {
  const { column, family } = idColumn
  const { quotedTable, quotedName } = column
  const set = (value: string): string => `UPDATE ${quotedTable} SET ${quotedName} = ${value}`
  if (column.type === 'uuid' && baseOf(family).name !== uuid7.name) {
    // Its bytes are the characters of the text.
    const text = `CONVERT(UNHEX(REPLACE(${quotedName}, '-', '')) USING ascii)`
    const head = headOf({ family, name: storage })
    return {
      update: (modify) => [
        modify('VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'),
        set(`CONCAT('${head}', ${text})`),
      ],
    }
  }
  const value = converted(schema, idColumn, storage)
  if (value !== undefined) {
    return {
      check: `-- fails if a value is not an id\nSELECT count(${value}) FROM ${quotedTable}`,
      update: (modify) => [...toAscii(column, modify), modify('VARBINARY(255)'), set(value)],
    }
  }
  // The text of a family without storage text is its number, which the type checks.
  const isNumber = isText(column) && storage === 'bigint' && !family.storages.includes('text')
  return isNumber && isPrefixed(family)
    ? { update: () => [set(withoutPrefix(quotedName, family))] }
    : undefined
}

/** The call of mysql-sql's functions that converts a value, as text or bytes. They refuse what is not an id. */
function converted(schema: string, { column, family }: IdColumn, storage: StorageName): string | undefined {
  const { type, quotedName } = column
  const call = (name: string, value: string): string => `${sqlFunction(family, name, schema)}(${value})`
  const bare = isText(column) && isPrefixed(family) ? withoutPrefix(quotedName, family) : quotedName
  const isBytes = /^(?:binary|varbinary|blob)$/.test(type)
  if (baseOf(family).name === flake.name) {
    if (storage === 'bigint') return isBytes ? call('from_binary', bare) : undefined
    if (isBytes) return undefined
    return call('to_binary', isText(column) ? call('decode', bare) : bare)
  }
  if (storage === 'binary' && isText(column)) return call('decode', bare)
  if (storage !== 'text' || !isBytes) return undefined
  const text = call('encode', bare)
  const head = headOf({ family, name: storage })
  return head === '' ? text : `concat('${head}', ${text})`
}

const isText = ({ type }: Column): boolean => /^(?:char|varchar|text)$/.test(type)

const CONVERTED = ['flax', 'sno', 'flake', 'uid', 'uidLocal', 'uuid7', 'ulid']

function withoutPrefix(
  quotedName: string,
  { prefix, base }: Pick<PrefixedFamily, 'prefix' | 'base'>,
): string {
  const length = prefix.length + 1
  const isWhole =
    base.textLength === undefined ? '' : `char_length(${quotedName}) = ${length + base.textLength} AND `
  return `IF(${isWhole}left(convert(${quotedName} USING ascii), ${length}) = _binary'${prefix}_', substr(${quotedName}, ${length + 1}), ${quotedName})`
}

/** Makes the bytes of a text those of its ASCII characters. */
const toAscii = ({ collation }: Column, modify: Modify): string[] =>
  /^(?:ucs2|utf16|utf32)/.test(collation ?? '')
    ? [modify('VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin')]
    : []

/** Removes trailing zeros first, since a shorter type would refuse them. */
function withoutZeros(column: Column, width: number | undefined, modify: Modify): string[] {
  const { type, length, quotedTable, quotedName } = column
  if (type !== 'binary' || width === undefined || !(Number(length) > width)) return []
  const zeros = `REPEAT(X'00', ${Number(length) - width})`
  return [
    modify(`VARBINARY(${length})`),
    `UPDATE ${quotedTable} SET ${quotedName} = LEFT(${quotedName}, ${width}) WHERE SUBSTRING(${quotedName}, ${width + 1}) = ${zeros}`,
  ]
}

/** The statement that changes a column's type and keeps the rest of its definition. */
type Modify = (type: string) => string

async function modifying(database: LiveDatabase, { quotedTable, quotedName }: Column): Promise<Modify> {
  const [created] = await database.query(`SHOW CREATE TABLE ${quotedTable}`)
  const lines = String(created?.['Create Table']).split(/,?\n */)
  const definition = lines.find((line) => line.startsWith(`${quotedName} `)) as string
  const rest = definition.slice(quotedName.length + 1).replace(TYPE, '')
  return (type) => `ALTER TABLE ${quotedTable} MODIFY ${quotedName} ${type}${rest}`
}

const TYPE = /^\w+(?:\([^)]*\))?(?: unsigned| zerofill)*(?: CHARACTER SET \w+)?(?: COLLATE \w+)?/i

async function foreignKeysOf(
  database: LiveDatabase,
  columns: readonly Column[],
): Promise<{ readonly drop: string; readonly add: string }[]> {
  const ours = columns.map(({ table, name }) => [table, name])
  const keys = await database.query(
    `SELECT DISTINCT table_name AS source, constraint_name AS name FROM information_schema.key_column_usage
      WHERE table_schema = database() AND referenced_table_name IS NOT NULL
        AND ((table_name, column_name) IN (?) OR (referenced_table_name, referenced_column_name) IN (?))
      ORDER BY table_name, constraint_name`,
    [ours, ours],
  )
  return Promise.all(
    keys.map(async ({ source, name }) => {
      const table = quote(source as string)
      const [created] = await database.query(`SHOW CREATE TABLE ${table}`)
      const lines = String(created?.['Create Table']).split(/,?\n */)
      const key = `CONSTRAINT ${quote(name as string)} FOREIGN KEY `
      return {
        drop: `ALTER TABLE ${table} DROP FOREIGN KEY ${quote(name as string)}`,
        add: `ALTER TABLE ${table} ADD ${lines.find((line) => line.startsWith(key))}`,
      }
    }),
  )
}
