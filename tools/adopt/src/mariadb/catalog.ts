import { quoteName } from '@snoflax/core/adapter'
import type { Column, Session, StoredColumn } from '../driver.js'
import { refuse } from '../obstacles.js'
import { type ForeignKey, type Key, onlyColumn, shownName } from '../plan.js'
import { kindOf } from '../references.js'
import type { Work } from '../work.js'

/** The prefix of our tables and triggers. */
export const OWN = 'snoflax_adoption_'

export interface MariadbForeignKey extends ForeignKey {
  readonly name: string
  readonly updateRule: string
  readonly deleteRule: string
}

export interface MariadbColumn extends Column {
  readonly comment: string
  readonly default: string | null
  readonly isGenerated: boolean
  /** Whether different values may be equal by its collation. */
  readonly isText: boolean
  readonly isCounter: boolean
}

interface Table {
  readonly name: string
  readonly kind: string
  readonly engine: string | null
  readonly options: string
  readonly counter: string | null
}

/** @throws {IdError} for anything but a table of the connection's database. */
export function* readTable(session: Session, given: string): Work<Table> {
  const [table] = yield* session.query<Table>(
    `SELECT table_name AS name, table_type AS kind, engine, create_options AS options, auto_increment AS counter
       FROM information_schema.tables WHERE table_schema = database()
        AND (BINARY table_name = BINARY $1 OR @@lower_case_table_names <> 0 AND table_name = $1)
        AND left(table_name, ${OWN.length}) <> '${OWN}'`,
    [given],
  )
  if (table === undefined) return refuse(given, "no such table in the connection's database")
  if (table.kind === 'SYSTEM VERSIONED')
    refuse(
      given,
      'the table is system-versioned, and its history would be lost; ALTER TABLE … DROP SYSTEM VERSIONING first',
    )
  if (table.kind !== 'BASE TABLE') refuse(given, 'it is not a table; name the table that contains the rows')
  return table
}

export function* readPrimary(session: Session, table: string): Work<string[]> {
  const rows = yield* session.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.statistics
      WHERE table_schema = database() AND table_name = $1 AND index_name = 'PRIMARY' ORDER BY seq_in_index`,
    [shownName(table)],
  )
  return rows.map(({ name }) => name)
}

export function* readKey(session: Session, given: string): Work<Key> {
  const table = quoteName((yield* readTable(session, given)).name)
  return { table, column: onlyColumn(table, yield* readPrimary(session, table)) }
}

/** A column's whole type, of information_schema.columns. */
export const COLUMN_TYPE = `concat(column_type,
              coalesce(concat(' CHARACTER SET ', character_set_name, ' COLLATE ', collation_name), ''))`

export function* readColumns(session: Session, table: string): Work<MariadbColumn[]> {
  const rows = yield* session.query<MariadbColumn>(
    `SELECT column_name AS name, ${COLUMN_TYPE} AS type,
            is_nullable = 'NO' AS "notNull", column_comment AS comment, nullif(column_default, 'NULL') AS "default",
            is_generated = 'ALWAYS' AS "isGenerated", collation_name IS NOT NULL AS "isText",
            extra LIKE '%auto_increment%' AS "isCounter"
       FROM information_schema.columns WHERE table_schema = database() AND table_name = $1 ORDER BY ordinal_position`,
    [shownName(table)],
  )
  return rows.map((row) => ({
    ...row,
    notNull: Number(row.notNull) === 1,
    isGenerated: Number(row.isGenerated) === 1,
    isText: Number(row.isText) === 1,
    isCounter: Number(row.isCounter) === 1,
  }))
}

/** Without the server's own, and our tables. */
export const APPLICATIONS = "('information_schema', 'performance_schema', 'mysql', 'sys')"

export function* readAllColumns(session: Session): Work<StoredColumn[]> {
  const columns = yield* session.query<
    Record<'schema' | 'table' | 'column' | 'type', string> &
      Record<'isHere' | 'isInKey' | 'keys' | 'hasRows' | 'isJson', number>
  >(
    `SELECT c.table_schema AS "schema", c.table_name AS "table", c.column_name AS "column", ${COLUMN_TYPE} AS type,
            c.table_schema = database() AS "isHere", c.column_key = 'PRI' AS "isInKey", t.table_type NOT LIKE '%VIEW' AS "hasRows",
            sum(c.column_key = 'PRI') OVER (PARTITION BY c.table_schema, c.table_name) AS "keys",
            EXISTS (SELECT 1 FROM information_schema.check_constraints AS k WHERE k.constraint_schema = c.table_schema
              AND k.table_name = c.table_name AND k.constraint_name = c.column_name AND k.check_clause LIKE 'json_valid(%') AS "isJson"
       FROM information_schema.columns AS c JOIN information_schema.tables AS t USING (table_schema, table_name)
      WHERE c.table_schema NOT IN ${APPLICATIONS} AND left(c.table_name, ${OWN.length}) <> '${OWN}'
      ORDER BY c.table_schema, c.table_name, c.ordinal_position`,
  )
  return columns.map(({ schema, table, column, type, keys, ...is }) => ({
    table: Number(is.isHere) === 1 ? quoteName(table) : `${quoteName(schema)}.${quoteName(table)}`,
    column,
    type,
    kind: Number(is.isJson) === 1 ? 'json' : kindOf(type),
    isInKey: Number(is.isInKey) === 1,
    isKey: Number(is.isInKey) === 1 && Number(keys) === 1,
    isElsewhere: Number(is.isHere) !== 1,
    hasRows: Number(is.hasRows) === 1,
    hidden: null,
  }))
}

export function* readForeignKeys(session: Session): Work<MariadbForeignKey[]> {
  const rows = yield* session.query<
    Record<
      'table' | 'name' | 'column' | 'schema' | 'target' | 'targetColumn' | 'updateRule' | 'deleteRule',
      string
    > & { isHere: unknown }
  >(
    `SELECT k.table_name AS "table", k.constraint_name AS name, k.column_name AS "column",
            k.referenced_table_schema AS "schema", k.referenced_table_schema = database() AS "isHere",
            k.referenced_table_name AS target, k.referenced_column_name AS "targetColumn",
            r.update_rule AS "updateRule", r.delete_rule AS "deleteRule"
       FROM information_schema.key_column_usage AS k JOIN information_schema.referential_constraints AS r
         ON r.constraint_schema = k.constraint_schema AND r.constraint_name = k.constraint_name AND r.table_name = k.table_name
      WHERE k.table_schema = database() AND k.referenced_table_name IS NOT NULL AND left(k.table_name, ${OWN.length}) <> '${OWN}'
      ORDER BY k.table_name, k.constraint_name, k.ordinal_position`,
  )
  const found = new Map<string, MariadbForeignKey>()
  for (const { table, name, column, schema, isHere, target, targetColumn, ...rules } of rows) {
    const known = found.get(`${table} ${name}`)
    found.set(`${table} ${name}`, {
      table: quoteName(table),
      name,
      columns: [...(known?.columns ?? []), column],
      target: Number(isHere) === 1 ? quoteName(target) : `${quoteName(schema)}.${quoteName(target)}`,
      targetColumns: [...(known?.targetColumns ?? []), targetColumn],
      updateRule: rules.updateRule,
      deleteRule: rules.deleteRule,
    })
  }
  return [...found.values()]
}

/** The definition as the server writes it, with backticks around names. */
export function* readDefinition(session: Session, table: string): Work<string> {
  const [row] = yield* session.query<{ 'Create Table': string }>(
    `SET STATEMENT sql_mode = '' FOR SHOW CREATE TABLE ${table}`,
  )
  return row?.['Create Table'] as string
}
