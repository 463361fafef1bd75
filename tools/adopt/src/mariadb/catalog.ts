import { closingOf, isWord, quoteName, readSql, type SqlToken, splitAtCommas } from '@snoflax/core/adapter'
import type { ReplacedColumn } from '../adoption.js'
import type { Column, Session } from '../driver.js'
import { type Obstacles, refuse } from '../obstacles.js'
import { type ForeignKey, type Key, legacyIndex, legacyName, onlyColumn, shownName } from '../plan.js'
import { computedName, noteComputing, textOf, usesMore } from '../sql-edits.js'
import type { Work } from '../work.js'
import { literal } from './session.js'

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
  const rows = yield* session.query<Record<'name' | 'type' | 'comment', string> & Record<string, unknown>>(
    `SELECT column_name AS name, ${COLUMN_TYPE} AS type,
            is_nullable = 'NO' AS "notNull", column_comment AS comment, nullif(column_default, 'NULL') AS "default",
            is_generated = 'ALWAYS' AS "isGenerated", collation_name IS NOT NULL AS "isText",
            extra LIKE '%auto_increment%' AS "isCounter"
       FROM information_schema.columns WHERE table_schema = database() AND table_name = $1 ORDER BY ordinal_position`,
    [shownName(table)],
  )
  return rows.map(({ name, type, comment, default: value, notNull, isGenerated, isText, isCounter }) => ({
    name,
    type,
    comment,
    default: value as string | null,
    notNull: Number(notNull) === 1,
    isGenerated: Number(isGenerated) === 1,
    isText: Number(isText) === 1,
    isCounter: Number(isCounter) === 1,
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

export interface RetypedColumn extends ReplacedColumn {
  readonly newType: string
}

/** The definition as the server writes it, with backticks around names. */
function* createStatement(session: Session, table: string): Work<string> {
  const [row] = yield* session.query<{ 'Create Table': string }>(
    `SET STATEMENT sql_mode = '' FOR SHOW CREATE TABLE ${table}`,
  )
  return row?.['Create Table'] as string
}

/**
 * The statement that creates a table's shadow: new types for some columns, and a column `legacy_…` for the old values of
 * each. The rest is unchanged, except for foreign keys, which come later. Notes what can't be carried over.
 */
export function* readShadow(
  session: Session,
  shadow: string,
  columns: readonly RetypedColumn[],
  known: readonly MariadbColumn[],
  obstacles: Obstacles,
): Work<string> {
  const { table } = columns[0] as RetypedColumn
  const sql = yield* createStatement(session, table)
  const tokens = readSql(sql, { dialect: 'mariadb' })
  const open = tokens.findIndex(({ text }) => text === '(')
  const close = closingOf(tokens, open)
  const items: string[] = []
  for (const item of splitAtCommas(tokens.slice(open + 1, close))) {
    const [first] = item as [SqlToken]
    const column = first.text.startsWith('`')
      ? columns.find((one) => one.column === first.parts[0])
      : undefined
    if (column) {
      const { comment = '' } = known.find(({ name }) => name === column.column) ?? {}
      noteColumn(column, known, item, textOf(sql, item), obstacles)
      items.push(definition(column, comment))
    } else if (!item.some((token) => isWord(token, 'FOREIGN'))) {
      noteItem(table, item, textOf(sql, item), columns, obstacles)
      items.push(textOf(sql, item))
    }
  }
  for (const { column, type } of columns) items.push(`${quoteName(legacyName(column))} ${type} NULL`)
  for (const { column, root, isRoot } of columns) {
    if (isRoot) items.push(`UNIQUE KEY ${quoteName(legacyIndex(root))} (${quoteName(legacyName(column))})`)
  }
  const tail = sql.slice(tokens[close]?.start).replace(/^(\) ENGINE=\w+) AUTO_INCREMENT=\d+/, '$1')
  return `CREATE TABLE IF NOT EXISTS ${shadow} (\n  ${items.join(',\n  ')}\n${tail}`
}

const definition = ({ column, newType, notNull }: RetypedColumn, comment: string): string =>
  `${quoteName(column)} ${newType} ${notNull ? 'NOT NULL' : 'NULL'}` +
  (comment === '' ? '' : ` COMMENT ${literal(comment)}`)

function noteColumn(
  { table, column, isRoot }: RetypedColumn,
  known: readonly MariadbColumn[],
  item: readonly SqlToken[],
  text: string,
  obstacles: Obstacles,
): void {
  const { default: value } = known.find(({ name }) => name === column) ?? {}
  const isUnfit = item.some((token) => isWord(token, 'CHECK', 'GENERATED', 'AS', 'INVISIBLE'))
  if (isUnfit || (!isRoot && value != null))
    obstacles.note(
      `${shownName(table)}.${column}`,
      `the column is defined as ${text}; a check, default or expression cannot be copied; remove it from the table first`,
    )
  if (legacyName(column).length > 64)
    obstacles.note(
      `${shownName(table)}.${column}`,
      `the old values' column would be named ${legacyName(column)}, which is too long; rename the column`,
    )
}

/** Notes an unchanged column, an index or a check that uses a replaced column. */
function noteItem(
  table: string,
  item: readonly SqlToken[],
  text: string,
  columns: readonly RetypedColumn[],
  obstacles: Obstacles,
): void {
  const isColumn = item[0]?.text.startsWith('`')
  const isPlain = isWord(item[0], 'PRIMARY', 'UNIQUE', 'KEY', 'INDEX')
  for (const { column } of columns) {
    const isUsed = isPlain
      ? item.some((token, i) => token.parts[0] === column && item[i + 1]?.text === '(' && i > 2)
      : usesMore(isColumn ? item.slice(1) : item, column)
    if (isUsed)
      obstacles.note(
        `${shownName(table)}.${column}`,
        `${text} uses it and cannot be copied; remove that from the table first`,
      )
  }
}

/** Notes what would not follow the tables, or would mean something else. */
export function* noteObstacles(
  session: Session,
  tables: readonly string[],
  columns: readonly ReplacedColumn[],
  obstacles: Obstacles,
): Work<void> {
  yield* noteServer(session, obstacles)
  const names = tables.map(shownName)
  const list = names.map(literal).join(', ')
  for (const name of names) {
    const table = yield* obstacles.tryStep(() => readTable(session, name))
    if (table && table.engine !== 'InnoDB')
      obstacles.note(name, `the table's engine is ${table.engine}; ALTER TABLE … ENGINE = InnoDB first`)
    if (table?.options.includes('partitioned'))
      obstacles.note(
        name,
        'the table is partitioned; copy its rows to a new table, or remove the partitioning',
      )
  }
  const triggers = yield* session.query<{ table: string; name: string }>(
    `SELECT event_object_table AS "table", trigger_name AS name FROM information_schema.triggers
      WHERE trigger_schema = database() AND event_object_table IN (${list}) AND left(trigger_name, ${OWN.length}) <> '${OWN}'
      ORDER BY 1, 2`,
  )
  for (const { table, name } of triggers)
    obstacles.note(
      table,
      `trigger ${name} would stay with the old table; drop it, and create it again after the switch`,
    )
  const others = yield* session.query<{ table: string; name: string; target: string }>(
    `SELECT DISTINCT concat(table_schema, '.', table_name) AS "table", constraint_name AS name, referenced_table_name AS target
       FROM information_schema.key_column_usage WHERE referenced_table_schema = database()
        AND referenced_table_name IN (${list}) AND left(table_name, ${OWN.length}) <> '${OWN}'
        AND NOT (table_schema = database() AND table_name IN (${list})) ORDER BY 1, 2`,
  )
  for (const { table, name, target } of others)
    obstacles.note(
      table,
      `foreign key ${name} would stay with the old table ${target}; drop it, and create it again after the switch`,
    )
  const replaced = [...new Set(columns.map(({ column }) => column))]
  const users = yield* session.query<{ name: string; what: string; sql: string | null }>(
    `SELECT table_name AS name, concat('view ', table_name) AS what, view_definition AS "sql"
       FROM information_schema.views WHERE table_schema = database()
     UNION ALL SELECT event_name, concat('event ', event_name), event_definition FROM information_schema.events WHERE event_schema = database()
     UNION ALL SELECT routine_name, concat(lower(routine_type), ' ', routine_name), routine_definition FROM information_schema.routines
      WHERE routine_schema = database() AND routine_type IN ('PROCEDURE', 'FUNCTION')
     UNION ALL SELECT trigger_name, concat('trigger ', trigger_name), action_statement FROM information_schema.triggers
      WHERE trigger_schema = database() AND event_object_table NOT IN (${list}) AND left(trigger_name, ${OWN.length}) <> '${OWN}' ORDER BY 2`,
  )
  for (const { what, sql } of users)
    if (!sql)
      obstacles.note(what, 'this user may not read its code; connect as a user that may, such as its definer')
  noteComputing(
    users.map(({ name, what, sql }) => ({ name, what, tokens: readSql(sql ?? '', { dialect: 'mariadb' }) })),
    names,
    ({ tokens }) => computedName(tokens, replaced),
    obstacles,
  )
}

function* noteServer(session: Session, obstacles: Obstacles): Work<void> {
  const [binlog] = yield* session.query<{ refused: unknown }>(
    `SELECT @@log_bin AND NOT @@log_bin_trust_function_creators AND NOT EXISTS (
       SELECT 1 FROM information_schema.user_privileges WHERE privilege_type IN ('SUPER', 'BINLOG ADMIN')
          AND grantee = concat('''', replace(current_user(), '@', '''@'''), '''')) AS refused`,
  )
  if (Number(binlog?.refused) === 1)
    obstacles.note(
      'switchKeys',
      'the server refuses triggers of this user while it keeps a binary log; SET GLOBAL log_bin_trust_function_creators = 1, or connect as a user with SUPER',
    )
  const [galera] = yield* session.query<{ on: unknown }>(
    `SELECT variable_value = 'ON' AS "on" FROM information_schema.global_variables WHERE variable_name = 'wsrep_on'`,
  )
  if (Number(galera?.on) === 1)
    obstacles.note(
      'client',
      'a Galera cluster has no locks across its nodes; run the adoption on a standalone server, and start the cluster from it',
    )
}

/** Notes objects that use old columns, since dropping the columns would change or break them. */
export function* noteLegacyUses(
  session: Session,
  columns: readonly ReplacedColumn[],
  obstacles: Obstacles,
): Work<void> {
  const views = yield* session.query<{ name: string; sql: string }>(
    `SELECT concat('view ', table_name) AS name, view_definition AS "sql" FROM information_schema.views WHERE table_schema = database()
     UNION ALL SELECT concat('trigger ', trigger_name), action_statement FROM information_schema.triggers
      WHERE trigger_schema = database() ORDER BY 1`,
  )
  for (const { table, column } of columns) {
    const legacy = legacyName(column)
    const note = (what: string): void =>
      obstacles.note(
        'finish',
        `nothing has been dropped: ${what} uses ${shownName(table)}.${legacy}; change or drop that first`,
      )
    for (const { name, sql } of views)
      if (new RegExp(`(?<![\\w$])${legacy.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'i').test(sql))
        note(name)
    const uses = yield* session.query<{ name: string }>(
      `SELECT concat('index ', index_name) AS name FROM information_schema.statistics WHERE table_schema = database()
          AND table_name = $1 AND column_name = $2 AND left(index_name, 15) <> 'snoflax_legacy_'
       UNION SELECT concat('foreign key ', constraint_name) FROM information_schema.key_column_usage
        WHERE table_schema = database() AND table_name = $1 AND column_name = $2 AND referenced_table_name IS NOT NULL`,
      [shownName(table), legacy],
    )
    for (const { name } of uses) note(name)
    const sql = readSql(yield* createStatement(session, table), { dialect: 'mariadb' })
    const open = sql.findIndex(({ text }) => text === '(')
    for (const item of splitAtCommas(sql.slice(open + 1, closingOf(sql, open)))) {
      const isKey = isWord(item[0], 'PRIMARY', 'UNIQUE', 'KEY', 'FOREIGN', 'FULLTEXT')
      if (!isKey && usesMore(item.slice(1), legacy)) note(item[0]?.text.replaceAll('`', '') ?? '')
    }
  }
}
