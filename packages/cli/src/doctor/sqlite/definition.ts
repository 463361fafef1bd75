import type { StorageName } from '@snoflax/core'
import type { IdColumn } from '../columns/column.js'
import { withCollation, withType } from './table-sql.js'

const TYPES: Readonly<Record<StorageName, string>> = {
  text: 'TEXT',
  binary: 'BLOB',
  bigint: 'INTEGER',
  uuid: 'TEXT',
  uuid8: 'BLOB',
}

const SPOILED_BY: Partial<Record<StorageName, readonly string[]>> = {
  text: ['integer', 'real', 'numeric'],
  bigint: ['text', 'real'],
}

/** What is wrong with the column's affinity, in words. */
export function typeFault({ column, family, storage }: IdColumn): string | undefined {
  const declared = column.declared || 'a column without a type'
  if (storage === undefined)
    return `${family.name} ids as ${declared} don't sort; store them as ${family.storages[0]}`
  if (!SPOILED_BY[storage]?.includes(column.type)) return undefined
  return storage === 'text'
    ? `${declared} has the affinity ${column.type.toUpperCase()}, which makes a number of an id that looks like one`
    : `${declared} does not keep numbers of 64 bits`
}

export const hasCollationFault = ({ column, storage }: IdColumn): boolean =>
  storage === 'text' && column.collation !== 'BINARY'

/** The column's definition without its faults. */
export function mended(idColumn: IdColumn, definition: string): string {
  const { column, family, storage } = idColumn
  const type = TYPES[storage ?? family.storages[0] ?? 'binary']
  const typed = typeFault(idColumn) === undefined ? definition : withType(definition, column.declared, type)
  return hasCollationFault(idColumn) ? withCollation(typed, 'BINARY') : typed
}
