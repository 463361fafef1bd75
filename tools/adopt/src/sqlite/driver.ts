import type { IdStorage } from '@snoflax/core'
import { quoteName, quoteText } from '@snoflax/core/adapter'
import { type Driver, type MadeId, mapOf, type Open, type Statements, type TimeColumn } from '../driver.js'
import { type Obstacles, refuse } from '../obstacles.js'
import {
  type Key,
  legacyIndex,
  legacyIndexes,
  legacyName,
  type Plan,
  pathOf,
  type RootPlan,
  retypedIn,
  shownName,
  tablesOf,
} from '../plan.js'
import { remadeRows } from '../remade.js'
import { stateStatements, switchedStatement } from '../state.js'
import { perform, type Work } from '../work.js'
import * as catalog from './catalog.js'
import { type SqliteConnection, SqliteSession } from './connection.js'
import { retypedTable } from './create-table.js'

export type { SqliteConnection, SqliteStatement } from './connection.js'

/** A table that is created again, with new types. */
interface TablePlan {
  readonly table: string
  /** Its statement, under the name of `newTable(table)`. */
  readonly create: string
  /** The columns to write, also those of the new table. */
  readonly columns: readonly string[]
  readonly attachments: readonly string[]
}

type SqlitePlan = Plan<readonly TablePlan[]>

export const openSqlite =
  (connection: SqliteConnection): Open<readonly TablePlan[]> =>
  (work) =>
    perform(work(new SqliteDriver(connection)))

const newTable = (table: string): string => `snoflax_new_${shownName(table)}`

/** Keeps the counter of AUTOINCREMENT, which would be dropped with the table and then repeat numbers. */
const moveSequence = (table: string): string[] => {
  const [from, to] = [shownName(table), newTable(table)].map(quoteText)
  return [
    `DELETE FROM sqlite_sequence WHERE name = ${to}`,
    `INSERT INTO sqlite_sequence (name, seq) SELECT ${to}, seq FROM sqlite_sequence WHERE name = ${from}`,
  ]
}

/** Settings for replacing a table, as in SQLite's manual. Both have no effect within a transaction. */
const SETTINGS = { foreign_keys: 'OFF', legacy_alter_table: 'ON' }

/** Keeps ids in the map; the switch creates each table again and fills it. */
class SqliteDriver extends SqliteSession implements Driver<readonly TablePlan[]> {
  readonly database = 'SQLite'
  readonly catalog = catalog
  readonly hasNewColumns = false
  readonly switchedBy = 'one transaction'
  readonly textType = 'text'

  own(name: string): string {
    return `snoflax_adoption_${name}`
  }

  *hasState(): Work<boolean> {
    const rows = yield* this.query('SELECT 1 FROM sqlite_schema WHERE name = $1', [this.own('state')])
    return rows.length > 0
  }

  *locked<Result>(_: SqlitePlan, _timeoutMs: number, work: () => Work<Result>): Work<Result> {
    const before: string[] = []
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
    allowTriggers: readonly string[],
    obstacles: Obstacles,
  ): Work<TablePlan[]> {
    const { columns } = plan
    const details: TablePlan[] = []
    const names = [...new Set(columns.map(({ column }) => column))]
    yield* catalog.noteUsers(this, tablesOf(columns).map(shownName), names, allowTriggers, obstacles)
    for (const table of tablesOf(columns)) {
      const { name, sql } = yield* catalog.readTable(this, shownName(table))
      const retyped = retypedIn(plan, table)
      const written = (yield* catalog.readColumns(this, table)).filter(({ hidden }) => hidden === 0)
      yield* catalog.noteVirtualTables(this, name, obstacles)
      details.push({
        table,
        create: retypedTable(name, sql, newTable(table), retyped, obstacles),
        columns: written.map((one) => one.name),
        attachments: yield* catalog.readAttachments(this, name, {
          replaced: retyped.map(({ column }) => column),
          names,
          allowTriggers,
          obstacles,
        }),
      })
    }
    return details
  }

  addedIndexes = legacyIndexes

  ownTables({ roots }: SqlitePlan): string[] {
    return [...roots.map((_, number) => mapOf(this, number)), this.own('round'), this.own('state')]
  }

  /** SQLite has no conditional statements, so a database with rows is refused, whether adopted or not. */
  migration(plan: SqlitePlan, stage: 'switched' | 'finished'): string[] {
    const { roots, columns, details } = plan
    if (stage === 'finished') return [...refuseRows(columns, 'finish'), ...dropLegacy(plan)]
    return [
      ...refuseRows(columns, 'backfill and switch'),
      ...details.map(({ table }) => `DROP TABLE ${table}`),
      ...details.map(({ table, create }) => create.replace(quoteName(newTable(table)), () => table)),
      ...details.flatMap(({ attachments }) => attachments),
      ...roots.map(createLegacyIndex),
    ]
  }

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
    const { finish } = this.statements(plan)
    try {
      yield* this.transaction(() => this.run(finish))
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
      const rows = yield* this.query<{ rowid: number; parent: string }>(`PRAGMA foreign_key_check(${table})`)
      faults.push(
        ...rows.map(
          ({ rowid, parent }) => `${shownName(table)}: row ${rowid} references no row of ${parent}`,
        ),
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

  statements(plan: SqlitePlan): Statements {
    const { roots, columns, details } = plan
    const maps = roots.map((_, number) => mapOf(this, number))
    const dropState = this.ownTables(plan).map((table) => `DROP TABLE ${table}`)
    return {
      create: [
        ...stateStatements(this),
        // Keeps the key's type, since SQLite uses no index for a comparison that converts.
        ...roots.map(
          (
            { keyType, type },
            i,
          ) => `CREATE TABLE ${maps[i]} (round INTEGER, position INTEGER, key ${keyType} UNIQUE NOT NULL,
  time_ms INTEGER, id ${type} UNIQUE, PRIMARY KEY (round, position)) WITHOUT ROWID`,
        ),
      ],
      expand: [],
      index: [],
      lock: settingStatements,
      takeDown: [],
      reconcile: [],
      exchange: [
        ...details.map(({ create }) => create),
        ...details.map(({ table, columns: own }) => {
          const { names, values, joins } = remadeRows(this, columns, table, own)
          return `INSERT INTO ${quoteName(newTable(table))} (${names})\n  SELECT ${values} FROM ${table} AS t ${joins}`
        }),
        ...details.flatMap(({ table, create }) => [
          ...(/\bAUTOINCREMENT\b/i.test(create) ? moveSequence(table) : []),
          `DROP TABLE ${table}`,
          `ALTER TABLE ${quoteName(newTable(table))} RENAME TO ${table}`,
        ]),
        ...details.flatMap(({ attachments }) => attachments),
        ...roots.map(createLegacyIndex),
        switchedStatement(this),
      ],
      settle: [],
      finish: [...dropLegacy(plan), ...dropState],
      abandon: dropState,
    }
  }
}

const settingStatements = Object.entries(SETTINGS).map(([name, value]) => `PRAGMA ${name} = ${value}`)

const createLegacyIndex = ({ table, key }: RootPlan, number: number): string =>
  `CREATE UNIQUE INDEX ${legacyIndex(number)} ON ${table} (${quoteName(legacyName(key))})`

const dropLegacy = ({ roots, columns }: SqlitePlan): string[] => [
  ...roots.map((_, i) => `DROP INDEX ${legacyIndex(i)}`),
  ...columns.map(({ table, column }) => `ALTER TABLE ${table} DROP COLUMN ${quoteName(legacyName(column))}`),
]

/** The message is the name of a check, which SQLite shows when it fails. */
function refuseRows(columns: readonly Key[], steps: string): string[] {
  const message = `these tables have rows; run snoflax adopt ${steps} on this database, and mark this migration as applied`
  const filled = tablesOf(columns).map((table) => `EXISTS (SELECT 1 FROM ${table})`)
  return [
    'DROP TABLE IF EXISTS temp.snoflax_rows',
    `CREATE TEMP TABLE snoflax_rows (found INTEGER CONSTRAINT ${quoteName(message)} CHECK (found = 0))`,
    `INSERT INTO temp.snoflax_rows SELECT ${filled.join(' OR ')}`,
    'DROP TABLE temp.snoflax_rows',
  ]
}
