import { type IdColumn, placeOf } from '../columns/column.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { changeType } from './change.js'

/** Text that is compared without regard to case, or by a language: ids misorder, and two of them count as one. */
export async function checkCollation(examination: Examination, idColumn: IdColumn): Promise<Finding[]> {
  const { column, storage } = idColumn
  if (storage !== 'text' || column.collation === undefined || /_bin$|^binary$/.test(column.collation))
    return []
  return [
    {
      check: 'collation',
      severity: 'error',
      where: placeOf(column),
      message: `the collation ${column.collation} orders ids otherwise than their text does`,
      cure: { sql: await changeType(examination, idColumn, 'text') },
    },
  ]
}
