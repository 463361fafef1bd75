import type { IdStorage } from '@snoflax/core'
import { quoteName } from '@snoflax/core/adapter'
import { relationsOf } from '../code-uses.js'
import type { Driver, MadeId, Open, Patience, Statements, StoredColumn, TimeColumn } from '../driver.js'
import { type Obstacles, refuse } from '../obstacles.js'
import { legacyIndex, legacyIndexes, pathOf, type RootPlan, shownName, tablesOf } from '../plan.js'
import { retypedIn } from '../references.js'
import { perform, type Work } from '../work.js'
import * as catalog from './catalog.js'
import { retypedTable } from './create-table.js'
import { migration } from './migrations.js'
import { noteCode, noteVirtualTables, readAttachments } from './obstacles.js'
import { type SqliteConnection, SqliteSession } from './session.js'
import {
  newTable,
  ownTables,
  SETTINGS,
  type SqlitePlan,
  settingStatements,
  statementsOf,
  type TablePlan,
} from './statements.js'

export const openSqlite =
  (connection: SqliteConnection): Open<readonly TablePlan[]> =>
  (work) =>
    perform(work(new SqliteDriver(connection)))

/** Keeps ids in the map; the switch creates each table again and fills it. */
class SqliteDriver extends SqliteSession implements Driver<readonly TablePlan[]> {
  readonly database = 'SQLite'
  readonly catalog = catalog
  readonly hasNewColumns = false
  readonly switchedBy = 'one transaction'
  readonly textType = 'text'

  textOf(value: string): string {
    return `CAST(${value} AS text)`
  }

  own(name: string): string {
    return `snoflax_adoption_${name}`
  }

  *hasState(): Work<boolean> {
    const rows = yield* this.query('SELECT 1 FROM sqlite_schema WHERE name = $1', [this.own('state')])
    return rows.length > 0
  }

  blockedTables({ columns }: SqlitePlan): readonly string[] {
    return tablesOf(columns)
  }

  *locked<Result>(_: SqlitePlan, { blockForMs }: Patience, work: () => Work<Result>): Work<Result> {
    const before: string[] = []
    if (blockForMs !== undefined) {
      const [row] = yield* this.query<{ timeout: number }>('PRAGMA busy_timeout')
      before.push(`PRAGMA busy_timeout = ${row?.timeout}`)
      yield* this.run([`PRAGMA busy_timeout = ${blockForMs}`])
    }
    for (const name of Object.keys(SETTINGS)) {
      const [row] = yield* this.query<Record<string, number>>(`PRAGMA ${name}`)
      before.push(`PRAGMA ${name} = ${row?.[name]}`)
    }
    yield* this.run(settingStatements)
    try {
      return yield* this.transaction(work)
    } finally {
      yield* this.run(before)
    }
  }

  *detailsOf(
    plan: Pick<SqlitePlan, 'roots' | 'columns'>,
    obstacles: Obstacles,
    all: readonly StoredColumn[],
  ): Work<TablePlan[]> {
    const { columns } = plan
    const details: TablePlan[] = []
    yield* noteCode(this, columns, all, obstacles)
    for (const table of tablesOf(columns)) {
      const { name, sql } = yield* catalog.readTable(this, shownName(table))
      const retyped = retypedIn(plan, table)
      const written = (yield* catalog.readColumns(this, table)).filter(({ hidden }) => hidden === 0)
      yield* noteVirtualTables(this, name, obstacles)
      details.push({
        table,
        create: retypedTable(name, sql, newTable(table), retyped, relationsOf(all, columns), obstacles),
        columns: written.map((one) => one.name),
        attachments: yield* readAttachments(this, name, obstacles),
      })
    }
    return details
  }

  addedIndexes = legacyIndexes
  ownTables = (plan: SqlitePlan): string[] => ownTables(this, plan)
  migration = migration

  fixedDetails(details: readonly TablePlan[]): unknown {
    return details
  }

  /** Planning has checked all statements; this checks the names that the switch needs. */
  *rehearse({ roots, details }: SqlitePlan, _: number, obstacles: Obstacles): Work<void> {
    const names = [...details.map(({ table }) => newTable(table)), ...roots.map((_, i) => legacyIndex(i))]
    const there = yield* this.query<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE lower(name) IN (SELECT lower(value) FROM json_each($1)) ORDER BY name`,
      [JSON.stringify(names)],
    )
    for (const { name } of there)
      obstacles.note(name, 'the adoption needs this name; rename or drop the existing object')
  }

  *finish(plan: SqlitePlan): Work<void> {
    const { keep, finish } = this.statements(plan)
    try {
      yield* this.transaction(() => this.run([...keep, ...finish]))
    } catch (error) {
      const { message, code } = error as { message: string; code?: string }
      // This is the error for a view or trigger that uses an old column.
      if (code !== 'SQLITE_ERROR' && code !== 'ERR_SQLITE_ERROR') throw error
      refuse('finish', `nothing has been dropped: ${message}; change or drop that first`)
    }
  }

  /** The violations that SQLite finds in the replaced tables. */
  *foreignKeyFaults({ columns }: SqlitePlan): Work<string[]> {
    const faults: string[] = []
    for (const table of tablesOf(columns)) {
      const rows = yield* this.query<{ rowid: number | null; parent: string }>(
        `PRAGMA foreign_key_check(${table})`,
      )
      for (const { rowid, parent } of rows)
        faults.push(
          `${shownName(table)}: ${rowid === null ? 'a row' : `row ${rowid}`} references no row of ${parent}`,
        )
    }
    return faults
  }

  /** Texts as SQLite's date functions read them. Numbers need a unit, since SQLite would read them as days. */
  *timeOf({ sql, table, column, unit, timeZone }: TimeColumn) {
    const place = pathOf({ table, column })
    if (timeZone !== undefined)
      refuse(
        place,
        'timeZone is not supported for SQLite, where times without a zone are UTC; leave it out',
        timeZone,
      )
    const columns = yield* catalog.readColumns(this, table)
    if (!columns.some(({ name }) => name.toLowerCase() === column.toLowerCase()))
      refuse(place, 'no such column')
    const isNumber = (value: string): string => `typeof(${value}) IN ('integer', 'real')`
    if (unit === undefined) {
      const numbers = yield* this.query(`SELECT 1 FROM ${table} WHERE ${isNumber(quoteName(column))} LIMIT 1`)
      if (numbers.length > 0) refuse(place, "a numeric column needs a unit, 's' or 'ms'")
    }
    const ofNumber = unit === undefined ? 'NULL' : `CAST(${sql} * ${unit === 's' ? 1000 : 1} AS INTEGER)`
    const timeMs = `CASE WHEN typeof(${sql}) = 'text' AND ${sql} LIKE '%-%'
      THEN unixepoch(${sql}) * 1000 + CAST(substr(strftime('%f', ${sql}), 4) AS INTEGER)
      WHEN ${isNumber(sql)} THEN ${ofNumber} END`
    return { timeMs, order: `${timeMs}, ${sql}` }
  }

  keyOrder(_: RootPlan, column: string): string {
    return column
  }

  *keysAfter({ table, key }: RootPlan, last: unknown, limit: number) {
    const column = quoteName(key)
    const rows = yield* this.query<{ key: string; own: unknown }>(
      `SELECT CAST(${column} AS text) AS key, ${column} AS own FROM ${table}
        ${last === undefined ? '' : `WHERE ${column} > $1`} ORDER BY ${column} LIMIT ${limit}`,
      last === undefined ? [] : [last],
      true,
    )
    return { keys: rows.map((row) => row.key), last: rows.at(-1)?.own }
  }

  *storeIds(_: RootPlan, map: string, storage: IdStorage<string>, rows: readonly MadeId[]): Work<void> {
    yield* this.runEach(
      `UPDATE ${map} SET id = $1 WHERE round = $2 AND position = $3`,
      rows.map(({ round, position, id }) => [storage.toDatabase(id), round, position]),
    )
  }

  *isAnyTaken(_: RootPlan, map: string, storage: IdStorage<string>, ids: readonly string[]): Work<boolean> {
    for (const id of ids) {
      const rows = yield* this.query(`SELECT 1 FROM ${map} WHERE id = $1`, [storage.toDatabase(id)])
      if (rows.length > 0) return true
    }
    return false
  }

  statements = (plan: SqlitePlan): Statements => statementsOf(this, plan)
}
