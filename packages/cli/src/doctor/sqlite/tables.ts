import { quoteName } from '@snoflax/core/adapter'
import type { Examination } from '../examination.js'
import { placeOf } from '../live-database.js'
import { newIdSql } from '../replacement.js'
import { type Finding, finding } from '../report.js'
import { orphans } from '../tables.js'
import { rebuild } from './rules.js'
import { withNotNull } from './table-sql.js'

/** Triggers, foreign keys and keys without an id. */
export async function checkTables(examination: Examination): Promise<Finding[]> {
  const { skip } = examination
  return [
    ...(skip.includes('trigger') ? [] : await checkTriggers(examination)),
    ...(skip.includes('null') ? [] : await nulls(examination)),
    ...(skip.includes('reference') ? [] : await orphans(examination)),
  ]
}

/** Triggers that update the id of the row that was written. */
async function checkTriggers({ database, columns }: Examination): Promise<Finding[]> {
  const rows = await database.query(
    'SELECT name, tbl_name AS "table", sql FROM sqlite_master WHERE type = \'trigger\' ORDER BY name',
  )
  return columns.flatMap(({ column }) =>
    rows
      .filter(({ table }) => table === column.table)
      .flatMap(({ name, sql }) => {
        const changed = keepingIds(sql as string, column.table, column.name)
        if (changed === undefined) return []
        const cure = { sql: `DROP TRIGGER ${quoteName(name as string)};\n${changed}` }
        return [
          finding('trigger', placeOf(column), `trigger ${name} overwrites the ids of rows`, cure),
        ]
      }),
  )
}

/** `UPDATE t SET id = …` of the trigger's own table, changed to give an id where there is none. */
function keepingIds(sql: string, table: string, column: string): string | undefined {
  const named = (name: string): string => {
    const text = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return `(?:"${text}"|\`${text}\`|\\[${text}\\]|${text})(?!\\w)`
  }
  const own = new RegExp(
    `(\\bUPDATE\\s+(?:OR\\s+\\w+\\s+)?${named(table)}\\s+SET\\s+(?:[^;]*,\\s*)?)(${named(column)})(\\s*=\\s*)([^;]*?)(?=\\s*(?:\\bWHERE\\b|;))`,
    'i',
  )
  const [, , , , value = ''] = own.exec(sql) ?? []
  if (value === '' || new RegExp(`\\bcoalesce\\s*\\(|\\b${named(column)}\\s+IS\\s+NULL`, 'i').test(sql))
    return undefined
  return sql.replace(own, (_, head, name, sign, made) => `${head}${name}${sign}coalesce(${name}, ${made})`)
}

/** SQLite takes NULL in a primary key, unless it says NOT NULL or is an integer. */
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
      const leaves = `--new-ids ${placeOf(column)} gives them ids, and the column NOT NULL`
      findings.push(finding('null', placeOf(column), message, { leaves }))
      continue
    }
    const updates = rows
      .slice(0, KEPT)
      .map(
        ({ row }) =>
          `UPDATE ${quotedTable} SET ${quotedName} = ${newIdSql(examination, idColumn)} WHERE rowid = ${row}`,
      )
    const sql = updates.join(';\n')
    if (rows.length > KEPT)
      findings.push(
        finding('null', placeOf(column), message, {
          sql,
          leaves: 'there are more: run these statements, then doctor again',
        }),
      )
    else {
      const notNull = await rebuild(examination, table, (definition, own) =>
        own?.column === column ? withNotNull(definition) : definition,
      )
      findings.push(finding('null', placeOf(column), message, { sql: `${sql};\n${notNull}` }))
    }
  }
  return findings
}

const KEPT = 1000
