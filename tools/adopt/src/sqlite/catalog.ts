import { isWord, quoteName, quoteText, readSql } from '@snoflax/core/adapter'
import type { Column, Session } from '../driver.js'
import { type Obstacles, refuse } from '../obstacles.js'
import { type ForeignKey, type Key, onlyColumn, shownName } from '../plan.js'
import { firstList } from '../sql-edits.js'
import { computedName, mentions, noteComputing, uses, usesMore } from '../sql-uses.js'
import type { Work } from '../work.js'

export interface SqliteColumn extends Column {
  /** Position in the primary key from 1, or 0. */
  readonly key: number
  /** 0 for a column that is stored and can be written. */
  readonly hidden: number
}

interface Table {
  readonly name: string
  readonly sql: string
}

/** The indexes and triggers of a table, which are created again with it. */
interface Attachment extends Table {
  readonly kind: 'index' | 'trigger' | 'temporary trigger'
}

const TABLES = `SELECT name, sql, rootpage = 0 AS "isVirtual" FROM sqlite_schema
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

export function* readKey(session: Session, given: string): Work<Key> {
  const table = quoteName((yield* readTable(session, given)).name)
  return keyOf(table, yield* readColumns(session, table))
}

const keyOf = (table: string, columns: readonly SqliteColumn[]): Key => {
  const own = columns.filter(({ key }) => key > 0).sort((a, b) => a.key - b.key)
  return {
    table,
    column: onlyColumn(
      table,
      own.map(({ name }) => name),
    ),
  }
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

/** The facts that decide whether an index or trigger works unchanged. */
interface Carrying {
  /** Columns of the table. */
  readonly replaced: readonly string[]
  /** Those of all tables. */
  readonly names: readonly string[]
  readonly allowTriggers: readonly string[]
  readonly obstacles: Obstacles
}

/** The statements that create the indexes and triggers of a table. Notes what can't be carried over. */
export function* readAttachments(
  session: Session,
  table: string,
  { replaced, names, allowTriggers, obstacles }: Carrying,
): Work<string[]> {
  const own = yield* session.query<Attachment>(
    `SELECT type AS kind, name, sql FROM sqlite_schema
      WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name = $1 COLLATE NOCASE
     UNION ALL SELECT 'temporary trigger', name, sql FROM sqlite_temp_schema
      WHERE type = 'trigger' AND tbl_name = $1 COLLATE NOCASE ORDER BY name`,
    [table],
  )
  for (const one of own) {
    if (one.kind === 'index') obstacles.attempt(() => refuseIndex(table, one, replaced))
    else if (one.kind === 'temporary trigger')
      obstacles.note(
        table,
        `temporary trigger ${one.name} would be dropped with the old table; drop it first`,
      )
    else if (!allowTriggers.includes(one.name)) {
      const tokens = readSql(one.sql, { dialect: 'sqlite' })
      const used = [...names, ...ROWID].find((name) => uses(tokens, name))
      const look = 'review it, and list it in allowTriggers if it works with the new keys'
      if (used !== undefined)
        obstacles.note(table, `trigger ${one.name} mentions ${used}, which will be a new key; ${look}`)
      else if (tokens.some(({ text }) => text.endsWith('*')))
        obstacles.note(table, `trigger ${one.name} uses whole rows; ${look}`)
    }
  }
  return own.map(({ sql }) => sql)
}

/** Refuses an index over an expression, which may mean old values. An index over the column itself is carried over. */
function refuseIndex(table: string, { name, sql }: Attachment, replaced: readonly string[]): void {
  const tokens = readSql(sql, { dialect: 'sqlite' })
  const { close, items } = firstList(tokens)
  const special = [
    ...items.filter(
      ([, direction, ...more]) =>
        more.length > 0 || (direction !== undefined && !isWord(direction, 'ASC', 'DESC')),
    ),
    tokens.slice(close + 1),
  ]
  const used = replaced.find((column) => special.some((part) => usesMore(part, column)))
  if (used === undefined) return
  refuse(
    `${table}, index ${name}`,
    `the index uses ${used} in an expression, predicate or collation; drop the index and create it again after the switch`,
  )
}

/** SQLite's other names of an integer key. */
const ROWID = ['rowid', '_rowid_', 'oid']

/** Views, and triggers of other tables. */
export function* noteUsers(
  session: Session,
  tables: readonly string[],
  names: readonly string[],
  allowTriggers: readonly string[],
  obstacles: Obstacles,
): Work<void> {
  const users = yield* session.query<Table & { readonly what: string; readonly on: string }>(
    `SELECT name, type || ' ' || name AS what, tbl_name AS "on", sql FROM sqlite_schema WHERE type IN ('view', 'trigger')
     UNION ALL SELECT name, type || ' ' || name, tbl_name, sql FROM sqlite_temp_schema WHERE type IN ('view', 'trigger') ORDER BY 1`,
  )
  noteComputing(
    users
      .filter(({ name, on }) => !tables.includes(on) && !allowTriggers.includes(name))
      .map(({ name, what, sql }) => ({ name, what, tokens: readSql(sql, { dialect: 'sqlite' }) })),
    tables,
    ({ tokens }) => computedName(tokens, names) ?? ROWID.find((one) => uses(tokens, one)),
    obstacles,
  )
}

/** Notes full-text tables, which find rows by the integer keys that are replaced. */
export function* noteVirtualTables(session: Session, table: string, obstacles: Obstacles): Work<void> {
  const virtual = yield* session.query<Table>(`SELECT name, sql FROM (${TABLES}) WHERE "isVirtual"`)
  const found = virtual.find(({ sql }) => mentions(sql, table))
  if (found)
    obstacles.note(
      table,
      `the virtual table ${found.name} uses it; drop that table and create it again after the switch`,
    )
}
