import { isWord, readSql } from '@snoflax/core/adapter'
import type { ReplacedColumn } from '../adoption.js'
import type { Session } from '../driver.js'
import { type Obstacles, refuse } from '../obstacles.js'
import { firstList } from '../sql-edits.js'
import { computedName, mentions, noteComputing, uses, usesMore } from '../sql-uses.js'
import type { Work } from '../work.js'
import { TABLES, type Table } from './catalog.js'

/** The indexes and triggers of a table, which are created again with it. */
interface Attachment extends Table {
  readonly kind: 'index' | 'trigger' | 'temporary trigger'
}

/**
 * The statements that create the indexes and triggers of a table. Notes what can't be carried over.
 *
 * @param replaced the table's columns. @param names those of all tables.
 */
export function* readAttachments(
  session: Session,
  table: string,
  replaced: readonly ReplacedColumn[],
  names: readonly string[],
  allowTriggers: readonly string[],
  obstacles: Obstacles,
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
function refuseIndex(table: string, { name, sql }: Attachment, replaced: readonly ReplacedColumn[]): void {
  const tokens = readSql(sql, { dialect: 'sqlite' })
  const { close, items } = firstList(tokens)
  const special = [
    ...items.filter(
      ([, direction, ...more]) =>
        more.length > 0 || (direction !== undefined && !isWord(direction, 'ASC', 'DESC')),
    ),
    tokens.slice(close + 1),
  ]
  const used = replaced.find(({ column }) => special.some((part) => usesMore(part, column)))
  if (used === undefined) return
  refuse(
    `${table}, index ${name}`,
    `the index uses ${used.column} in an expression, predicate or collation; drop the index and create it again after the switch`,
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
