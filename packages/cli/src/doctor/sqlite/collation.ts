import { type IdColumn, placeOf } from '../columns/column.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { rebuild } from './rebuild.js'

/** Text that is compared without regard to case or trailing spaces. */
export async function checkCollation(
  { database }: Examination,
  { column, storage }: IdColumn,
): Promise<Finding[]> {
  if (storage !== 'text' || column.collation === 'BINARY') return []
  const sql = await rebuild(database, column.table, column.name, (definition) =>
    definition.replace(/\bCOLLATE\s+\S+/i, 'COLLATE BINARY'),
  )
  return [
    {
      check: 'collation',
      severity: 'error',
      where: placeOf(column),
      message: `the collation ${column.collation} orders ids otherwise than their text does`,
      cure: { sql },
    },
  ]
}
