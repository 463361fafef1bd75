import { quoteName, quoteText } from '@snoflax/core/adapter'
import { type Driver, mapOf, type Statements } from '../driver.js'
import { legacyIndex, legacyName, mappingOf, type Plan, type RootPlan, shownName } from '../plan.js'
import { isWord, readSql } from '../read-sql.js'
import { recreatedRows } from '../recreated-rows.js'
import { stateStatements, switchedStatement } from '../state.js'

/** A table that is created again, with new types. */
export interface TablePlan {
  readonly table: string
  /** Its statement, under the name of `newTable(table)`. */
  readonly create: string
  /** The columns to write, also those of the new table. */
  readonly columns: readonly string[]
  readonly attachments: readonly string[]
}

export type SqlitePlan = Plan<readonly TablePlan[]>

/** Settings for replacing a table, as in SQLite's manual. Both have no effect within a transaction. */
export const SETTINGS = { foreign_keys: 'OFF', legacy_alter_table: 'ON' }

export const settingStatements = Object.entries(SETTINGS).map(([name, value]) => `PRAGMA ${name} = ${value}`)

/** What the steps run. */
export function statementsOf(db: Pick<Driver, 'own' | 'database'>, plan: SqlitePlan): Statements {
  const { roots, columns, details } = plan
  const maps = roots.map((_, number) => mapOf(db, number))
  const dropState = ownTables(db, plan).map((table) => `DROP TABLE ${table}`)
  return {
    create: [
      ...stateStatements(db),
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
        const { names, values, joins } = recreatedRows(db, columns, table, own)
        return `INSERT INTO ${quoteName(newTable(table))} (${names})\n  SELECT ${values} FROM ${table} AS t ${joins}`
      }),
      ...details.flatMap((one) => [
        ...moveSequence(one),
        `DROP TABLE ${one.table}`,
        `ALTER TABLE ${quoteName(newTable(one.table))} RENAME TO ${one.table}`,
      ]),
      ...details.flatMap(({ attachments }) => attachments),
      ...roots.map(createLegacyIndex),
      switchedStatement(db),
    ],
    settle: [],
    keep: roots.flatMap((root, i) => {
      const mapping = mappingOf(root)
      return [
        `CREATE TABLE ${mapping} (old ${root.keyType} PRIMARY KEY NOT NULL, new ${root.type} UNIQUE NOT NULL) WITHOUT ROWID`,
        `INSERT INTO ${mapping} SELECT key, id FROM ${maps[i]} WHERE id IS NOT NULL`,
      ]
    }),
    finish: [...dropLegacy(plan), ...dropState],
    abandon: dropState,
  }
}

export const ownTables = (db: Pick<Driver, 'own' | 'database'>, { roots }: SqlitePlan): string[] => [
  ...roots.map((_, number) => mapOf(db, number)),
  db.own('round'),
  db.own('state'),
]

export const newTable = (table: string): string => `snoflax_new_${shownName(table)}`

/** Keeps the counter of AUTOINCREMENT, which would be dropped with the table and then repeat numbers. */
const moveSequence = ({ table, create }: TablePlan): string[] => {
  if (!readSql(create, { dialect: 'sqlite' }).some((token) => isWord(token, 'AUTOINCREMENT'))) return []
  const [from, to] = [shownName(table), newTable(table)].map(quoteText)
  return [
    `DELETE FROM sqlite_sequence WHERE name = ${to}`,
    `INSERT INTO sqlite_sequence (name, seq) SELECT ${to}, seq FROM sqlite_sequence WHERE name = ${from}`,
  ]
}

export const createLegacyIndex = ({ table, key }: RootPlan, number: number): string =>
  `CREATE UNIQUE INDEX ${legacyIndex(number)} ON ${table} (${quoteName(legacyName(key))})`

export const dropLegacy = ({ roots, columns }: SqlitePlan): string[] => [
  ...roots.map((_, i) => `DROP INDEX ${legacyIndex(i)}`),
  ...columns.map(({ table, column }) => `ALTER TABLE ${table} DROP COLUMN ${quoteName(legacyName(column))}`),
]
