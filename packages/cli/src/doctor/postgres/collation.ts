import { type IdColumn, placeOf } from '../columns/column.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { typeFault } from './type.js'

const BY_CODE = /^(?:C|POSIX|ucs_basic|pg_c_utf8)(?:\.|$)/i

/** Text that sorts by a language instead of by code: ranges and ORDER BY are wrong. */
export function checkCollation(_: Examination, idColumn: IdColumn): Finding[] {
  const { column, storage } = idColumn
  if (storage !== 'text' || column.collation === undefined || BY_CODE.test(column.collation)) return []
  // The type that the column is to get has the right one.
  if (typeFault(idColumn) !== undefined) return []
  const { quotedTable, quotedName, declared } = column
  return [
    {
      check: 'collation',
      severity: 'error',
      where: placeOf(column),
      message: `the collation ${column.collation} orders ids otherwise than their text does`,
      cure: { sql: `ALTER TABLE ${quotedTable} ALTER COLUMN ${quotedName} TYPE ${declared} COLLATE "C"` },
    },
  ]
}
