import { type ColumnRules, storageFault, targetOf } from '../declaration.js'
import type { Examination } from '../examination.js'
import type { IdColumn } from '../id-columns.js'
import { type Column, type LiveDatabase, placeOf } from '../live-database.js'
import { quote } from './open.js'

export const mysqlRules: ColumnRules = {
  typeFault(idColumn, kind) {
    const { column, family, storage } = idColumn
    const { declared, type, length } = column
    if (type === 'uuid')
      return "MariaDB's uuid reorders the bytes before 10.11.5 and 11.0.3, so ids don't sort there"
    const fault = storageFault(kind, idColumn)
    if (fault !== undefined) return fault
    if (storage?.name === 'bigint' && !/unsigned/i.test(declared)) return `${declared} ${SIGNED}`
    return type === 'binary' && length !== family.byteLength
      ? `${declared} pads the ${family.byteLength} bytes of an id with zeros`
      : undefined
  },
  isWarning: (fault) => fault.endsWith(SIGNED),
  hasCollationFault: ({ column: { collation }, storage }) =>
    storage?.name === 'text' && collation !== undefined && !/_bin$|^binary$/.test(collation),
  cure(examination, idColumn, check) {
    if (check === 'type' && idColumn.column.type === 'uuid') return fromUuid(idColumn)
    return changeType(examination, idColumn)
  },
  cureDefault(_, { column }) {
    const { quotedTable, quotedName, declared } = column
    return column.counter === undefined
      ? `ALTER TABLE ${quotedTable} ALTER COLUMN ${quotedName} DROP DEFAULT`
      : modify({ ...column, defaultSql: undefined }, declared)
  },
  /** As bytes, which have room for both forms. */
  changeStorage: (_, { column, family, storage }, updates) =>
    [
      modify({ ...column, defaultSql: undefined }, 'VARBINARY(255)'),
      ...updates,
      modify(
        { ...column, defaultSql: undefined },
        targetOf('mysql', { column, family, storage, evidence: 'told' }).column.sql,
      ),
    ].join(';\n'),
}

const SIGNED = 'has no place for numbers of 2^63 and above'

/**
 * Gives the column, and what foreign keys tie to it, the type of the storage. The keys are taken away meanwhile:
 * neither end can be changed alone.
 */
async function changeType({ database, columns }: Examination, idColumn: IdColumn): Promise<string> {
  const { sql: type, length: width } = targetOf('mysql', idColumn).column
  const tied = tiedTo(columns, idColumn).map(({ column }) => column)
  const keys = await foreignKeysOf(database, tied)
  return [
    ...keys.map(({ drop }) => drop),
    ...tied.flatMap((column) => [...withoutZeros(column, width), modify(column, type)]),
    ...keys.map(({ add }) => add),
  ].join(';\n')
}

/** The zeros behind the bytes go first: a shorter type would refuse them. */
function withoutZeros(column: Column, width: number | undefined): string[] {
  const { type, length, quotedTable, quotedName } = column
  if (type !== 'binary' || width === undefined || !(Number(length) > width)) return []
  const zeros = `REPEAT(X'00', ${Number(length) - width})`
  return [
    modify(column, `VARBINARY(${length})`),
    `UPDATE ${quotedTable} SET ${quotedName} = LEFT(${quotedName}, ${width}) WHERE SUBSTRING(${quotedName}, ${width + 1}) = ${zeros}`,
  ]
}

/** The column and all that reference it or are referenced by it, over however many steps. */
function tiedTo(columns: readonly IdColumn[], start: IdColumn): IdColumn[] {
  const tied = new Set([start])
  for (const one of tied) {
    for (const other of columns) {
      const isTied =
        other.column.references === placeOf(one.column) || one.column.references === placeOf(other.column)
      if (isTied) tied.add(other)
    }
  }
  return [...tied]
}

function modify({ quotedTable, quotedName, isNullable, defaultSql }: Column, type: string): string {
  const rest = `${isNullable ? 'NULL' : 'NOT NULL'}${defaultSql === undefined ? '' : ` DEFAULT ${defaultSql}`}`
  return `ALTER TABLE ${quotedTable} MODIFY ${quotedName} ${type} ${rest}`
}

/** The characters whose codes are the uuid's bytes. */
function fromUuid({ column, family }: IdColumn): string {
  const { quotedTable, quotedName } = column
  const ascii = (length: number): string => `CHAR(${length}) CHARACTER SET ascii COLLATE ascii_bin`
  return [
    modify(column, ascii(36)),
    `UPDATE ${quotedTable} SET ${quotedName} = CONVERT(UNHEX(REPLACE(${quotedName}, '-', '')) USING ascii)`,
    modify(column, ascii(Number(family.textLength))),
  ].join(';\n')
}

/** The foreign keys that have one of the columns at either end, as the statements that drop each and bring it back. */
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
