import { type IdColumn, placeOf } from '../columns/column.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { hasCollationFault } from './definition.js'
import { rebuild } from './rebuild.js'

/** Text that is compared without regard to case or trailing spaces. */
export async function checkCollation(examination: Examination, idColumn: IdColumn): Promise<Finding[]> {
  if (!hasCollationFault(idColumn)) return []
  const { column } = idColumn
  return [
    {
      check: 'collation',
      severity: 'error',
      where: placeOf(column),
      message: `the collation ${column.collation} orders ids otherwise than their text does`,
      cure: { sql: await rebuild(examination, column.table) },
    },
  ]
}
