import type { Examination } from '../examination.js'
import { placeOf } from '../live-database.js'
import { type Finding, finding } from '../report.js'
import { escaped, orphans, type TableChecks, triggerFindings } from '../tables.js'

/** Finds triggers that update the id of the written row. */
async function checkTriggers({ database, columns }: Examination): Promise<Finding[]> {
  const rows = await database.query(
    'SELECT name, tbl_name AS "table", sql FROM sqlite_master WHERE type = \'trigger\' ORDER BY name',
  )
  return triggerFindings(columns, rows, ({ sql }, column) =>
    overwritesIds(sql as string, column.table, column.name),
  )
}

/** Whether a trigger updates its own table's ids, and not only if they are NULL. */
function overwritesIds(sql: string, table: string, column: string): boolean {
  const named = (name: string): string => {
    const text = escaped(name)
    return `(?:"${text}"|\`${text}\`|\\[${text}\\]|${text})(?!\\w)`
  }
  const own = new RegExp(
    `\\bUPDATE\\s+(?:OR\\s+\\w+\\s+)?${named(table)}\\s+SET\\s+(?:[^;]*,\\s*)?${named(column)}\\s*=`,
    'i',
  )
  return own.test(sql) && !new RegExp(`\\bcoalesce\\s*\\(|\\b${named(column)}\\s+IS\\s+NULL`, 'i').test(sql)
}

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
  ['trigger', checkTriggers],
  ['null', nulls],
  ['reference', orphans],
]
