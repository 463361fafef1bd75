import type { StorageName } from '@snoflax/core'
import { type IdColumn, placeOf } from '../columns/column.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { rebuild } from './rebuild.js'
import { withType } from './table-sql.js'

/** An affinity that turns some ids into other values: of texts of digits it makes numbers, of numbers texts. */
export async function checkType({ database }: Examination, idColumn: IdColumn): Promise<Finding[]> {
  const { column, family } = idColumn
  const message = faultOf(idColumn)
  if (message === undefined) return []
  const type = TYPES[idColumn.storage ?? family.storages[0] ?? 'binary']
  const sql = await rebuild(database, column.table, column.name, (definition) =>
    withType(definition, column.declared, type),
  )
  return [{ check: 'type', severity: 'error', where: placeOf(column), message, cure: { sql } }]
}

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

function faultOf({ column, family, storage }: IdColumn): string | undefined {
  const declared = column.declared || 'a column without a type'
  if (storage === undefined)
    return `${family.name} ids as ${declared} don't sort; store them as ${family.storages[0]}`
  if (!SPOILED_BY[storage]?.includes(column.type)) return undefined
  return storage === 'text'
    ? `${declared} has the affinity ${column.type.toUpperCase()}, which makes a number of an id that looks like one`
    : `${declared} does not keep numbers of 64 bits`
}
