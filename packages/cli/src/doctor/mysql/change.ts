import { type StorageName, storageFor } from '@snoflax/core'
import { type Column, type IdColumn, placeOf } from '../columns/column.js'
import type { Examination } from '../examination.js'
import { foreignKeysOf } from './foreign-keys.js'

/**
 * Gives the column, and what foreign keys tie to it, the type of the storage. The keys are taken away meanwhile:
 * neither end can be changed alone.
 */
export async function changeType(
  { database, columns }: Examination,
  idColumn: IdColumn,
  storage: StorageName,
): Promise<string> {
  const type = storageFor(idColumn.family, 'mysql', { storage }).column.sql
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

export function modify({ quotedTable, quotedName, isNullable, defaultSql }: Column, type: string): string {
  const rest = `${isNullable ? 'NULL' : 'NOT NULL'}${defaultSql === undefined ? '' : ` DEFAULT ${defaultSql}`}`
  return `ALTER TABLE ${quotedTable} MODIFY ${quotedName} ${type} ${rest}`
}
