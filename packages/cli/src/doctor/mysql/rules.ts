import { type ColumnRules, leftToMigration, storageFault, targetOf, tiedTo } from '../declaration.js'
import type { Examination } from '../examination.js'
import type { IdColumn } from '../id-columns.js'
import type { Column, LiveDatabase } from '../live-database.js'
import type { Cure } from '../report.js'
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
}

const SIGNED = "can't store numbers from 2^63"

/**
 * Changes the type of the column, and of all columns that foreign keys connect to it, to the storage's. The keys are
 * dropped meanwhile, since neither end can be changed alone.
 */
async function changeType({ database, columns }: Examination, idColumn: IdColumn): Promise<Cure> {
  const { column: target } = targetOf('mysql', withoutUuid(idColumn))
  const tied = tiedTo(columns, idColumn)
  const left = tied.flatMap((one) => leftToMigration(database.kind, withoutUuid(one)) ?? [])
  if (left[0]) return left[0]
  const keys = await foreignKeysOf(
    database,
    tied.map(({ column }) => column),
  )
  const changes = await Promise.all(
    tied.map(async ({ column }) => {
      const modify = await modifying(database, column)
      return [...withoutZeros(column, target.length, modify), modify(target.sql)]
    }),
  )
  return {
    sql: [SET_MODE, ...keys.map(({ drop }) => drop), ...changes.flat(), ...keys.map(({ add }) => add)].join(
      ';\n',
    ),
  }
}

/** MariaDB's uuid is no storage of MySQL's. */
const withoutUuid = (idColumn: IdColumn): IdColumn =>
  idColumn.column.type === 'uuid' ? { ...idColumn, storage: undefined } : idColumn

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
