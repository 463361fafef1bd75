import { refuse } from '../refusal.js'
import type { ForeignKey, Key } from '../replaced-columns.js'
import { literal } from '../sql-text.js'
import type { Connection } from './connection.js'

export interface Table {
  readonly [column: string]: unknown
  readonly name: string
  readonly sql: string
}

export interface Column {
  readonly [column: string]: unknown
  readonly name: string
  readonly type: string
  readonly notNull: number
  /** Place in the primary key from 1, or 0. */
  readonly key: number
  /** 0 for a column that is stored and can be written. */
  readonly hidden: number
}

/** What hangs on a table and is made anew with it: its indexes and triggers. */
export interface Attachment {
  readonly [column: string]: unknown
  readonly kind: 'index' | 'trigger'
  readonly name: string
  readonly table: string
  readonly sql: string
}

const OURS = 'snoflax_adoption_'

export const readTables = (connection: Connection): Table[] =>
  connection.query<Table>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND substr(name, 1, ${OURS.length}) <> '${OURS}' ORDER BY name`,
  )

export const readColumns = (connection: Connection, table: string): Column[] =>
  connection.query<Column>(
    `SELECT name, type, "notnull" AS "notNull", pk AS key, hidden FROM pragma_table_xinfo(${literal(table)})`,
  )

export const readAttachments = (connection: Connection): Attachment[] =>
  connection.query<Attachment>(
    "SELECT type AS kind, name, tbl_name AS \"table\", sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY name",
  )

/** SQLite takes names in any case; here each is as the schema has it. */
export class Catalog {
  readonly tables: readonly Table[]
  private readonly columns = new Map<string, Column[]>()

  constructor(private readonly connection: Connection) {
    this.tables = readTables(connection)
  }

  table(given: string): Table {
    const found = this.tables.find(({ name }) => same(name, given))
    return found ?? refuse(given, 'there is no such table')
  }

  columnsOf(table: string): Column[] {
    const known = this.columns.get(table) ?? readColumns(this.connection, table)
    this.columns.set(table, known)
    return known
  }

  column(table: string, given: string): Column {
    return this.find(table, given) ?? refuse(`${table}.${given}`, 'there is no such column')
  }

  private find(table: string, given: string | undefined): Column | undefined {
    return this.columnsOf(table).find(({ name }) => given !== undefined && same(name, given))
  }

  /** The one column of the table's primary key. */
  keyOf(given: string): Key {
    const { name: table } = this.table(given)
    const [column, ...others] = this.primaryKey(table)
    if (column === undefined) return refuse(table, 'the table has no primary key')
    if (others.length === 0) return { table, column }
    return refuse(
      table,
      `the primary key has several columns (${[column, ...others].join(', ')}); ` +
        'give the tables that they refer to, and it follows',
    )
  }

  get foreignKeys(): ForeignKey[] {
    return this.tables.flatMap(({ name }) => this.foreignKeysOf(name))
  }

  private foreignKeysOf(table: string): ForeignKey[] {
    const rows = this.connection.query<{ id: number; target: string; own: string; other: string | null }>(
      `SELECT id, "table" AS target, "from" AS own, "to" AS other FROM pragma_foreign_key_list(${literal(table)}) ORDER BY id, seq`,
    )
    return [...new Set(rows.map(({ id }) => id))].flatMap((id) => {
      const own = rows.filter((row) => row.id === id)
      const target = this.tables.find(({ name }) => same(name, own[0]?.target as string))?.name
      // SQLite takes foreign keys to tables and columns that are not there. None of them leads to a key.
      if (target === undefined) return []
      const primaryKey = this.primaryKey(target)
      const targetColumns = own.flatMap(({ other }, i) => this.find(target, other ?? primaryKey[i]) ?? [])
      if (targetColumns.length < own.length) return []
      return {
        table,
        columns: own.map((row) => this.column(table, row.own).name),
        target,
        targetColumns: targetColumns.map(({ name }) => name),
      }
    })
  }

  private primaryKey(table: string): string[] {
    return this.columnsOf(table)
      .filter(({ key }) => key > 0)
      .sort((a, b) => a.key - b.key)
      .map(({ name }) => name)
  }
}

export const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
