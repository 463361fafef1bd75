import { placeOf } from '../../live/database.js'
import type { Examination, TableChecks } from '../examination.js'
import { orphans } from '../references.js'
import { type Finding, finding } from '../report.js'

/** Finds NULL in primary keys, which SQLite accepts unless the key is NOT NULL or an INTEGER. */
async function nulls({ database, columns }: Examination): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { column, isPrimary } of columns) {
    const { quotedName, quotedTable, table, name } = column
    if (!column.isNullable) continue
    const key = 'SELECT 1 FROM pragma_table_xinfo(?) WHERE pk > 0 AND name = ?'
    if (!isPrimary && (await database.query(key, [table, name])).length === 0) continue
    const [row] = await database.query(
      `SELECT count(*) AS count FROM ${quotedTable} WHERE ${quotedName} IS NULL`,
    )
    if (Number(row?.['count']) === 0) continue
    const message = `rows without an id in the primary key: ${row?.['count']}`
    const leaves = 'give these rows ids, and make the column NOT NULL'
    findings.push(finding('null', placeOf(column), message, { leaves }))
  }
  return findings
}

export const tableChecks: TableChecks = [
  ['null', nulls],
  ['reference', orphans],
]
