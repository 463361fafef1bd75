import { type IdColumn, placeOf } from '../columns/column.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { typeFault } from './definition.js'
import { rebuild } from './rebuild.js'

/** An affinity that turns some ids into other values: of texts of digits it makes numbers, of numbers texts. */
export async function checkType(examination: Examination, idColumn: IdColumn): Promise<Finding[]> {
  const message = typeFault(idColumn)
  if (message === undefined) return []
  const { column } = idColumn
  const sql = await rebuild(examination, column.table)
  return [{ check: 'type', severity: 'error', where: placeOf(column), message, cure: { sql } }]
}
