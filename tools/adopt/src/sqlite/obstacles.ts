import type { ReplacedColumn } from '../adoption.js'
import { mentions, noteBody, noteUse, noteViews, relationsOf, UNCERTAIN, useOf } from '../code-uses.js'
import type { Session, StoredColumn } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { lastOf, shownName, tablesOf } from '../plan.js'
import { readSql } from '../read-sql.js'
import { firstList, textOf } from '../sql-edits.js'
import type { Work } from '../work.js'
import { TABLES, type Table } from './catalog.js'

/** A view, index or trigger. */
interface Item extends Table {
  readonly type: string
  readonly on: string
  readonly isTemporary: number
}

const ITEMS = `SELECT type, name, tbl_name AS "on", sql, 0 AS "isTemporary" FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL
  UNION ALL SELECT type, name, tbl_name, sql, 1 FROM sqlite_temp_schema WHERE type <> 'table' AND sql IS NOT NULL ORDER BY name`

const isOn = ({ on }: Item, table: string): boolean => on.toLowerCase() === table.toLowerCase()

/** The statements that create the indexes and triggers of a table, which are created again with it. */
export function* readAttachments(session: Session, table: string, obstacles: Obstacles): Work<string[]> {
  const items = (yield* session.query<Item>(ITEMS)).filter((one) => isOn(one, table) && one.type !== 'view')
  for (const { name, type, isTemporary } of items)
    if (isTemporary)
      obstacles.note(table, `temporary ${type} ${name} would be dropped with the old table; drop it first`)
  return items.filter(({ isTemporary }) => !isTemporary).map(({ sql }) => sql)
}

/** SQLite's other names of an integer key. */
const ROWID = ['rowid', '_rowid_', 'oid']

/** Notes views, indexes and triggers that use replaced columns. */
export function* noteCode(
  session: Session,
  columns: readonly ReplacedColumn[],
  all: readonly StoredColumn[],
  obstacles: Obstacles,
): Work<void> {
  const items = yield* session.query<Item>(ITEMS)
  const relations = relationsOf(all, columns)
  // Every table has a rowid, so that its name alone is certain nowhere.
  for (const name of new Set(
    all.filter(({ hasRows }) => hasRows).map(({ table }) => lastOf(table).toLowerCase()),
  )) {
    const relation = relations.get(name)
    const isReplaced = relation !== undefined && relation.keys.size > 0
    const rowids = new Map(isReplaced ? ROWID.map((one) => [one, UNCERTAIN]) : [])
    relations.set(name, {
      columns: new Set([...(relation?.columns ?? []), ...ROWID]),
      keys: new Map([...(relation?.keys ?? []), ...rowids]),
    })
  }
  const views = items.filter(({ type }) => type === 'view')
  noteViews(
    views.map(({ name, sql }) => ({ name: `view ${name}`, of: name, sql })),
    'sqlite',
    relations,
    obstacles,
  )
  const tables = tablesOf(columns).map(shownName)
  for (const item of items) {
    const { type, name, sql, on } = item
    if (type === 'index' && tables.some((table) => isOn(item, table))) {
      const { problem, isConcerned } = useOf(expressionsOf(sql), 'sqlite', relations, on)
      if (isConcerned) noteUse(`index ${name}`, problem, obstacles)
    }
    if (type !== 'trigger') continue
    const body = sql.slice(/\b(when|begin)\b/i.exec(sql)?.index)
    noteBody(`trigger ${name}`, body, relations, obstacles, [on])
  }
}

/** The items of an index that are more than columns, and its predicate. */
function expressionsOf(sql: string): string {
  const tokens = readSql(sql, { dialect: 'sqlite' })
  const { close, items } = firstList(tokens)
  const isPlain = ([, direction, ...more]: (typeof items)[number]): boolean =>
    more.length === 0 && (direction === undefined || /^(asc|desc)$/i.test(direction.text))
  const special = items.filter((item) => !isPlain(item)).map((item) => textOf(sql, item))
  return [...special, sql.slice(tokens[close + 1]?.end ?? sql.length)].join(' ; ')
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
