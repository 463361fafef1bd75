import { quoteMysqlName } from '@snoflax/core/adapter'
import { isDatabaseError } from '../../live/address.js'
import { placeOf, type Row } from '../../live/database.js'
import type { Examination, TableChecks } from '../examination.js'
import type { IdColumn } from '../id-column.js'
import { orphans } from '../references.js'
import { type Finding, finding } from '../report.js'

/** Finds indexes that are IGNORED (MariaDB) or INVISIBLE (MySQL). */
async function ignoredIndexes({ database, columns }: Examination): Promise<Finding[]> {
  const isMaria = database.kind === 'mariadb'
  const condition = isMaria ? "ignored = 'YES'" : "is_visible = 'NO'"
  const rows = await rowsOf(
    database,
    `SELECT DISTINCT table_name AS \`table\`, index_name AS name FROM information_schema.statistics
      WHERE table_schema = database() AND ${condition} ORDER BY 1, 2`,
  )
  return rows.flatMap(({ table, name }) => {
    const own = columns.find(({ column }) => column.table === table)
    if (own === undefined) return []
    const message = `index ${name} is ${isMaria ? 'ignored' : 'invisible'}, so no query uses it`
    const sql = `ALTER TABLE ${own.column.quotedTable} ALTER INDEX ${quoteMysqlName(name as string)} ${isMaria ? 'NOT IGNORED' : 'VISIBLE'}`
    return [finding('index', own.column.table, message, { sql }, 'warning')]
  })
}

/** No rows if the server has no such column, or this account may not read it. */
async function rowsOf(database: Examination['database'], sql: string): Promise<Row[]> {
  try {
    return await database.query(sql)
  } catch (error) {
    if (isDatabaseError(error)) return []
    throw error
  }
}

/** Whether a default generates another value for each row, which statement-based replicas evaluate again. */
const isGeneratedByDatabase = ({ column }: IdColumn): boolean =>
  /\b(?:uuid|random_bytes|rand|nextval|now|current_timestamp|sysdate|uuid_short|\w+_generate)\b/i.test(
    column.defaultSql ?? '',
  )

/** Finds statement-based replication: the replicas generate their own ids. */
async function binaryLog({ database, columns }: Examination): Promise<Finding[]> {
  const generated = columns.filter(isGeneratedByDatabase)
  if (generated.length === 0) return []
  const [row] = await rowsOf(database, 'SELECT @@global.log_bin AS is_on, @@global.binlog_format AS format')
  if (!Number(row?.['is_on']) || row?.['format'] !== 'STATEMENT') return []
  const places = generated.map(({ column }) => placeOf(column)).join(', ')
  const message = `binlog_format is STATEMENT: replicas generate different ids than the primary in ${places}`
  const sql = "SET GLOBAL binlog_format = 'ROW'"
  const leaves =
    'set it in the configuration file too, reconnect all sessions, and compare the replicas with the primary'
  return [finding('replication', 'the server', message, { sql, leaves })]
}

export const tableChecks: TableChecks = [
  ['reference', orphans],
  ['index', ignoredIndexes],
  ['replication', binaryLog],
]
