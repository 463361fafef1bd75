import { type ColumnRules, storageFault, targetOf } from '../declaration.js'
import type { Examination } from '../examination.js'
import type { IdColumn } from '../id-columns.js'
import { type Column, type LiveDatabase, placeOf, type Row } from '../live-database.js'
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
}

const SIGNED = 'has no place for numbers of 2^63 and above'

/**
 * Gives the column, and what foreign keys tie to it, the type of the storage. The keys are taken away meanwhile:
 * neither end can be changed alone.
 */
async function changeType({ database, columns }: Examination, idColumn: IdColumn): Promise<string> {
  const type = targetOf('mysql', idColumn).column.sql
  const tied = tiedTo(columns, idColumn).map(({ column }) => column)
  const keys = await foreignKeysOf(database, tied)
  return [
    ...keys.map(({ drop }) => drop),
    ...tied.map((column) => modify(column, type)),
    ...keys.map(({ add }) => add),
  ].join(';\n')
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

/** A foreign key, as the statements that drop it and bring it back. */
interface ForeignKey {
  readonly drop: string
  readonly add: string
}

/** The foreign keys that have one of the columns at either end. */
async function foreignKeysOf(database: LiveDatabase, columns: readonly Column[]): Promise<ForeignKey[]> {
  const rows = await database.query(`
    SELECT k.constraint_name AS name, k.table_name AS source, k.column_name AS own,
      k.referenced_table_name AS target, k.referenced_column_name AS theirs, r.update_rule AS on_update,
      r.delete_rule AS on_delete
      FROM information_schema.key_column_usage k
      JOIN information_schema.referential_constraints r ON r.constraint_schema = k.constraint_schema
        AND r.constraint_name = k.constraint_name AND r.table_name = k.table_name
     WHERE k.table_schema = database()
     ORDER BY k.table_name, k.constraint_name, k.ordinal_position`)
  const keys = new Map<string, Row[]>()
  for (const row of rows) {
    const name = JSON.stringify([row['source'], row['name']])
    keys.set(name, [...(keys.get(name) ?? []), row])
  }
  return [...keys.values()].filter((parts) => parts.some((part) => touches(part, columns))).map(toForeignKey)
}

const touches = (part: Row, columns: readonly Column[]): boolean =>
  columns.some(
    ({ table, name }) =>
      (part['source'] === table && part['own'] === name) ||
      (part['target'] === table && part['theirs'] === name),
  )

function toForeignKey(parts: readonly Row[]): ForeignKey {
  const { source, name, target, on_update, on_delete } = parts[0] as Record<string, string>
  const list = (field: string): string => parts.map((part) => quote(part[field] as string)).join(', ')
  const table = quote(source as string)
  return {
    drop: `ALTER TABLE ${table} DROP FOREIGN KEY ${quote(name as string)}`,
    add:
      `ALTER TABLE ${table} ADD CONSTRAINT ${quote(name as string)} FOREIGN KEY (${list('own')}) ` +
      `REFERENCES ${quote(target as string)} (${list('theirs')}) ON UPDATE ${on_update} ON DELETE ${on_delete}`,
  }
}
