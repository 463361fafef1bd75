import type { ReplacedColumn } from '../adoption.js'
import { mentions } from '../code-uses.js'
import type { Session } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { legacyName, shownName } from '../plan.js'
import { isWord, readSql } from '../read-sql.js'
import { firstList } from '../sql-edits.js'
import type { Work } from '../work.js'
import { OWN, readDefinition, readTable } from './catalog.js'
import { literal } from './session.js'

/** Notes what would not follow the tables, or would mean something else. */
export function* noteObstacles(
  session: Session,
  tables: readonly string[],
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
  const left = yield* session.query<{ table: string; what: string }>(
    `SELECT event_object_table AS "table", concat('trigger ', trigger_name, ' would stay with the old table') AS what
       FROM information_schema.triggers WHERE trigger_schema = database()
        AND event_object_table IN (${list}) AND left(trigger_name, ${OWN.length}) <> '${OWN}'
     UNION ALL SELECT DISTINCT concat(table_schema, '.', table_name),
            concat('foreign key ', constraint_name, ' would stay with the old table ', referenced_table_name)
       FROM information_schema.key_column_usage WHERE referenced_table_schema = database()
        AND referenced_table_name IN (${list}) AND left(table_name, ${OWN.length}) <> '${OWN}'
        AND NOT (table_schema = database() AND table_name IN (${list})) ORDER BY 1, 2`,
  )
  for (const { table, what } of left)
    obstacles.note(table, `${what}; drop it, and create it again after the switch`)
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
  const users = yield* session.query<{ name: string; sql: string }>(
    `SELECT concat('view ', table_name) AS name, view_definition AS "sql" FROM information_schema.views WHERE table_schema = database()
     UNION ALL SELECT concat('trigger ', trigger_name), concat(event_object_table, ' ', action_statement)
       FROM information_schema.triggers WHERE trigger_schema = database() ORDER BY 1`,
  )
  for (const { table, column } of columns) {
    const legacy = legacyName(column)
    const note = (what: string): void =>
      obstacles.note(
        'finish',
        `nothing has been dropped: ${what} uses ${shownName(table)}.${legacy}; change or drop that first`,
      )
    for (const { name, sql } of users)
      if ([shownName(table), legacy].every((one) => mentions(sql, one))) note(name)
    const uses = yield* session.query<{ name: string }>(
      `SELECT concat('index ', index_name) AS name FROM information_schema.statistics WHERE table_schema = database()
          AND table_name = $1 AND column_name = $2 AND left(index_name, 15) <> 'snoflax_legacy_'
       UNION SELECT concat('foreign key ', constraint_name) FROM information_schema.key_column_usage
        WHERE table_schema = database() AND table_name = $1 AND column_name = $2 AND referenced_table_name IS NOT NULL`,
      [shownName(table), legacy],
    )
    for (const { name } of uses) note(name)
    const sql = yield* readDefinition(session, table)
    for (const item of firstList(readSql(sql, { dialect: 'mariadb' })).items) {
      const isKey = isWord(item[0], 'PRIMARY', 'UNIQUE', 'KEY', 'FOREIGN', 'FULLTEXT')
      if (!isKey && item.slice(1).some(({ parts }) => parts.includes(legacy)))
        note(item[0]?.text.replaceAll('`', '') ?? '')
    }
  }
}
