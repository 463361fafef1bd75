import { quoteName, quoteText } from '@snoflax/core/adapter'
import type { Column, Session, StoredColumn } from '../driver.js'
import { refuse } from '../obstacles.js'
import { type ForeignKey, type Key, onlyColumn, shownName } from '../plan.js'
import { kindOf } from '../references.js'
import type { Work } from '../work.js'

interface SqliteColumn extends Column {
  /** Position in the primary key from 1, or 0. */
  readonly key: number
  /** 0 for a column that is stored and can be written. */
  readonly hidden: number
}

export interface Table {
  readonly name: string
  readonly sql: string
}

export const TABLES = `SELECT name, sql, rootpage = 0 AS "isVirtual" FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'snoflax\\_adoption\\_%' ESCAPE '\\'`

/** Finds a table, ignoring case as SQLite does. The name is spelled as in the schema. */
export function* readTable(session: Session, given: string): Work<Table> {
  const [found] = yield* session.query<Table>(
    `SELECT name, sql FROM (${TABLES}) WHERE name = $1 COLLATE NOCASE`,
    [given],
  )
  return found ?? refuse(given, 'no such table')
}

export function* readColumns(session: Session, table: string): Work<SqliteColumn[]> {
  const columns = yield* session.query<SqliteColumn>(
    `SELECT name, type, "notnull" OR pk AS "notNull", pk AS key, hidden FROM pragma_table_xinfo(${quoteText(shownName(table))})`,
  )
  return columns.map((column) => ({ ...column, notNull: Boolean(column.notNull) }))
}

export function* readAllColumns(session: Session): Work<StoredColumn[]> {
  const columns = yield* session.query<
    Record<'table' | 'column' | 'type', string> & Record<'key' | 'keys' | 'hasRows', number>
  >(
    `SELECT t.name AS "table", c.name AS "column", c.type, c.pk AS key, t.type = 'table' AS "hasRows",
            (SELECT count(*) FROM pragma_table_xinfo(t.name) WHERE pk > 0) AS keys
       FROM (SELECT name, type FROM sqlite_schema WHERE type = 'view' UNION ALL SELECT name, 'table' FROM (${TABLES}) WHERE NOT "isVirtual") AS t
       JOIN pragma_table_xinfo(t.name) AS c ORDER BY t.name, c.cid`,
  )
  return columns.map(({ table, column, type, key, keys, hasRows }) => ({
    table: quoteName(table),
    column,
    type,
    kind: /^(BLOB)?$/i.test(type) ? 'any' : kindOf(type),
    isInKey: key > 0,
    isKey: key > 0 && keys === 1,
    isElsewhere: false,
    hasRows: Boolean(hasRows),
    hidden: null,
  }))
}

export function* readKey(session: Session, given: string): Work<Key> {
  const table = quoteName((yield* readTable(session, given)).name)
  const own = (yield* readColumns(session, table)).filter(({ key }) => key > 0).sort((a, b) => a.key - b.key)
  const names = own.map(({ name }) => name)
  return { table, column: onlyColumn(table, names) }
}

/** SQLite accepts foreign keys to missing tables and columns. None of those references a key. */
export function* readForeignKeys(session: Session): Work<ForeignKey[]> {
  const rows = yield* session.query<Record<'table' | 'target' | 'columns' | 'targetColumns', string>>(
    `SELECT t.name AS "table", target.name AS target, json_group_array(own.name ORDER BY f.seq) AS columns,
            json_group_array(other.name ORDER BY f.seq) AS "targetColumns"
       FROM (${TABLES}) AS t JOIN pragma_foreign_key_list(t.name) AS f
       JOIN (${TABLES}) AS target ON target.name = f."table" COLLATE NOCASE
       JOIN pragma_table_xinfo(t.name) AS own ON own.name = f."from" COLLATE NOCASE
       LEFT JOIN pragma_table_xinfo(target.name) AS other
         ON CASE WHEN f."to" IS NULL THEN other.pk = f.seq + 1 ELSE other.name = f."to" COLLATE NOCASE END
      WHERE NOT t."isVirtual" AND NOT target."isVirtual"
      GROUP BY t.name, f.id HAVING count(other.name) = count(*) ORDER BY t.name, f.id`,
  )
  return rows.map(({ table, target, columns, targetColumns }) => ({
    table: quoteName(table),
    columns: JSON.parse(columns),
    target: quoteName(target),
    targetColumns: JSON.parse(targetColumns),
  }))
}
