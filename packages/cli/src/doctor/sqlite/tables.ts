import { quoteName } from '@snoflax/core/adapter'
import type { Examination } from '../examination.js'
import type { IdColumn } from '../id-columns.js'
import { placeOf } from '../live-database.js'
import { newIdSql } from '../replacement.js'
import { type Finding, finding } from '../report.js'
import { escaped, orphans, type TableChecks, triggerFindings } from '../tables.js'
import { rebuild } from './rules.js'
import { withNotNull } from './table-sql.js'

/** Finds triggers that update the id of the written row. */
async function checkTriggers({ database, columns }: Examination): Promise<Finding[]> {
  const rows = await database.query(
    'SELECT name, tbl_name AS "table", sql FROM sqlite_master WHERE type = \'trigger\' ORDER BY name',
  )
  return triggerFindings(columns, rows, ({ name, sql }, column) => {
    const changed = keepingIds(sql as string, column.table, column.name)
    return changed && `DROP TRIGGER ${quoteName(name as string)};\n${changed}`
  })
}

/** A trigger that updates its own table's ids, changed to set the id only if it is NULL. Undefined if it does so already. */
function keepingIds(sql: string, table: string, column: string): string | undefined {
  const named = (name: string): string => {
    const text = escaped(name)
    return `(?:"${text}"|\`${text}\`|\\[${text}\\]|${text})(?!\\w)`
  }
  const own = new RegExp(
    `(\\bUPDATE\\s+(?:OR\\s+\\w+\\s+)?${named(table)}\\s+SET\\s+(?:[^;]*,\\s*)?)(${named(column)})(\\s*=\\s*)([^;]*?)(?=\\s*(?:\\bWHERE\\b|;))`,
    'i',
  )
  const [, , , , value = ''] = own.exec(sql) ?? []
  if (value === '' || new RegExp(`\\bcoalesce\\s*\\(|\\b${named(column)}\\s+IS\\s+NULL`, 'i').test(sql))
    return undefined
  return sql.replace(own, (_, head, name, sign, newId) => `${head}${name}${sign}coalesce(${name}, ${newId})`)
}

/** Finds NULL in primary keys, which SQLite accepts unless the key is NOT NULL or an INTEGER. */
async function nulls(examination: Examination): Promise<Finding[]> {
  const { database, columns, newIds } = examination
  const findings: Finding[] = []
  for (const idColumn of columns) {
    const { column } = idColumn
    const { quotedName, quotedTable, table, name } = column
    const isPrimary =
      idColumn.isPrimary === true ||
      (await database.query('SELECT 1 FROM pragma_table_xinfo(?) WHERE pk > 0 AND name = ?', [table, name]))
        .length > 0
    if (!isPrimary || !column.isNullable) continue
    const rows = await database.query(
      `SELECT rowid AS row FROM ${quotedTable} WHERE ${quotedName} IS NULL LIMIT ${KEPT + 1}`,
    )
    if (rows.length === 0) continue
    const message = `rows without an id in the primary key: ${rows.length > KEPT ? 'more than ' : ''}${Math.min(rows.length, KEPT)}`
    if (!newIds.includes(placeOf(column)) || newIdSql(examination, idColumn) === undefined) {
      const leaves = `pass --new-ids ${placeOf(column)} to give these rows new ids and make the column NOT NULL`
      findings.push(finding('null', placeOf(column), message, { leaves }))
      continue
    }
    const isAll = rows.length <= KEPT
    const statements = rows.slice(0, KEPT).map(({ row }) => {
      const id = newIdSql(examination, idColumn)
      return `UPDATE ${quotedTable} SET ${quotedName} = ${id} WHERE rowid = ${row}`
    })
    if (isAll) {
      const notNull = (definition: string, own: IdColumn | undefined): string =>
        own?.column === column ? withNotNull(definition) : definition
      statements.push(await rebuild(examination, table, notNull))
    }
    const leaves = 'there are more: run these statements, then doctor again'
    const cure = { sql: statements.join(';\n'), ...(!isAll && { leaves }) }
    findings.push(finding('null', placeOf(column), message, cure))
  }
  return findings
}

const KEPT = 1000

export const tableChecks: TableChecks = [
  ['trigger', checkTriggers],
  ['null', nulls],
  ['reference', orphans],
]
