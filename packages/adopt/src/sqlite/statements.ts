import type { ReplacedColumn } from '../adoption.js'
import { legacyName } from '../column-names.js'
import { section } from '../script.js'
import { quote } from '../sql-text.js'
import { newTable, type Plan, quoted, type TablePlan } from './plan.js'
import { createStatements, dropStatements, mapTable, SWITCHED } from './state.js'

const replacedIn = ({ columns }: Plan, table: string): ReplacedColumn[] =>
  columns.filter((one) => one.table === table)

/** Each table made anew beside the old one, filled, and put in its place, as SQLite's manual has it. */
export function switchStatements(plan: Plan): string[] {
  return [
    ...plan.tables.map(({ create }) => create),
    ...plan.tables.map((table) => copy(plan, table)),
    ...plan.tables.flatMap(({ table }) => [
      `DROP TABLE ${quote(table)}`,
      `ALTER TABLE ${quote(newTable(table))} RENAME TO ${quote(table)}`,
    ]),
    ...plan.tables.flatMap(({ attachments }) => attachments),
    ...plan.roots.map(
      ({ table, key }, i) =>
        `CREATE UNIQUE INDEX ${legacyIndex(i)} ON ${quote(table)} (${quote(legacyName(key))})`,
    ),
    SWITCHED,
  ]
}

const legacyIndex = (number: number): string => `snoflax_legacy_${number + 1}`

function copy(plan: Plan, { table, columns }: TablePlan): string {
  const replaced = replacedIn(plan, table)
  const joins = replaced.map(
    ({ column, root }, i) => `LEFT JOIN ${mapTable(root)} AS m${i} ON m${i}.key = t.${quote(column)}`,
  )
  const values = columns.map((column) => {
    const i = replaced.findIndex((one) => one.column === column)
    return i < 0 ? `t.${quote(column)}` : `m${i}.id`
  })
  const legacy = replaced.map(({ column }) => `t.${quote(column)}`)
  return `INSERT INTO ${quote(newTable(table))} (${quoted([...columns, ...replaced.map(({ column }) => legacyName(column))])})
  SELECT ${[...values, ...legacy].join(', ')} FROM ${quote(table)} AS t ${joins.join(' ')}`
}

export const finishStatements = (plan: Plan): string[] => [
  ...plan.roots.map((_, i) => `DROP INDEX ${legacyIndex(i)}`),
  ...plan.columns.map(
    ({ table, column }) => `ALTER TABLE ${quote(table)} DROP COLUMN ${quote(legacyName(column))}`,
  ),
  ...dropStatements(plan),
]

/** The whole move, to be read before it is made. */
export function script(plan: Plan): string {
  return [
    section('backfill: one transaction', createStatements(plan)),
    ...plan.roots.map(({ table, key }, i) => `-- ids in batches: ${table}.${key}, kept in ${mapTable(i)}`),
    section('switchKeys: one transaction, with foreign_keys off and legacy_alter_table on', [
      '-- ids for rows that came meanwhile',
      ...switchStatements(plan),
      'PRAGMA foreign_key_check',
    ]),
    section('finish: one transaction', finishStatements(plan)),
  ].join('\n')
}
