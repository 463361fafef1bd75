import { isDatabaseError } from '../../databases.js'
import type { Examination } from '../examination.js'
import { placeOf, type Row } from '../live-database.js'
import { type Finding, finding } from '../report.js'
import {
  endingPartition,
  isGeneratedByDatabase,
  orphans,
  overwritesIds,
  storedColumns,
  type TableChecks,
  triggerFindings,
} from '../tables.js'
import { quote } from './open.js'

async function checkTriggers({ database, columns, notes }: Examination): Promise<Finding[]> {
  const rows = await database.query(
    `SELECT trigger_name AS name, event_object_table AS \`table\`, action_statement AS body
       FROM information_schema.triggers WHERE trigger_schema = database() AND action_timing = 'BEFORE' ORDER BY trigger_name`,
  )
  if (rows.length === 0 && !(await seesTriggers(database)))
    notes.push(
      'triggers were not examined: this account was not granted TRIGGER, without which the server shows none',
    )
  return triggerFindings(columns, rows, ({ body }, column) => overwritesIds(body as string, column))
}

/** Whether the account itself was granted what shows it triggers; what a role grants is not known. */
async function seesTriggers(database: Examination['database']): Promise<boolean> {
  const granted = `privilege_type = 'TRIGGER' AND grantee = (SELECT
    concat(quote(substring_index(current_user(), '@', 1)), '@', quote(substring_index(current_user(), '@', -1))))`
  const found = await database.query(
    `SELECT 1 FROM information_schema.user_privileges WHERE ${granted}
      UNION SELECT 1 FROM information_schema.schema_privileges WHERE ${granted} AND database() LIKE table_schema
      UNION SELECT 1 FROM information_schema.table_privileges WHERE ${granted} AND table_schema = database()`,
  )
  return found.length > 0
}

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
    const sql = `ALTER TABLE ${own.column.quotedTable} ALTER INDEX ${quote(name as string)} ${isMaria ? 'NOT IGNORED' : 'VISIBLE'}`
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

async function partitions(examination: Examination): Promise<Finding[]> {
  const rows = await examination.database.query(
    `SELECT table_name AS \`table\`, partition_expression AS expression, partition_description AS bound
       FROM information_schema.partitions
      WHERE table_schema = database() AND partition_method LIKE 'RANGE%' ORDER BY table_name, partition_ordinal_position`,
  )
  return storedColumns(examination).flatMap((idColumn) => {
    const { column, storage } = idColumn
    const own = rows.filter(
      ({ table, expression }) =>
        table === column.table && String(expression).replaceAll('`', '') === column.name,
    )
    const bounds = own.map(({ bound }) => String(bound))
    const last = bounds.at(-1)
    if (last === undefined || bounds.includes('MAXVALUE')) return []
    return endingPartition(examination, idColumn, boundOf(storage.name, last))
  })
}

/** A bound as the driver returns the value. Bytes are written in hex, or as quoted text if they are valid UTF-8. */
function boundOf(storage: string, bound: string): unknown {
  const text = bound.replace(/^(?:_binary\s*)?'([\s\S]*)'$/, (_, inner: string) =>
    inner.replaceAll("''", "'").replace(/\\([\s\S])/g, (_, letter: string) => ESCAPES[letter] ?? letter),
  )
  if (storage !== 'binary') return text
  const [, hex] = /^(?:_binary\s*)?(?:0x|X')([\da-f]+)'?$/i.exec(bound) ?? []
  return hex === undefined ? Buffer.from(text) : Buffer.from(hex, 'hex')
}

const ESCAPES: Readonly<Record<string, string>> = { 0: '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\u001a' }

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
  ['trigger', checkTriggers],
  ['reference', orphans],
  ['index', ignoredIndexes],
  ['partition', partitions],
  ['replication', binaryLog],
]
