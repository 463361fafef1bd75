import type { ReplacedColumn, TableVerification, Verification } from '../adoption.js'
import { legacyName } from '../column-names.js'
import { rowTimeMs } from '../created-at.js'
import { counted, driftOf } from '../faults.js'
import type { KeyRecipe } from '../key-recipe.js'
import { pathOf } from '../replaced-columns.js'
import { placeOf, type RootPlan } from '../root-plan.js'
import { quote } from '../sql-text.js'
import type { Begun } from '../under-way.js'
import type { Connection } from './connection.js'
import { readable } from './keys.js'
import type { Plan } from './plan.js'
import { mapTable } from './state.js'

export function verifySqlite(
  connection: Connection,
  { plan, phase }: Begun<Plan>,
  recipes: readonly KeyRecipe[],
): Verification {
  const faults: string[] = []
  const tables = plan.roots.map((root, i) => {
    faults.push(...keyFaults(connection, i, root, phase))
    return timesOf(connection, i, root, phase, recipes[i] as KeyRecipe, faults)
  })
  if (phase === 'switched') {
    for (const column of plan.columns)
      if (!column.isRoot) faults.push(...foreignKeyFaults(connection, column, plan))
    faults.push(...violations(connection, plan))
  }
  return { tables, faults }
}

/** Rows with their noted times and ids: those of the map until the switch, then those of the table. */
const pairs = (number: number, { table, key }: RootPlan, phase: Begun<Plan>['phase']): string =>
  phase === 'switched'
    ? `SELECT m.position, m.round, m.key, m.time_ms, t.${quote(key)} AS id FROM ${mapTable(number)} AS m JOIN ${quote(table)} AS t ON t.${quote(legacyName(key))} = m.key`
    : `SELECT m.position, m.round, m.key, m.time_ms, m.id FROM ${quote(table)} AS t LEFT JOIN ${mapTable(number)} AS m ON m.key = t.${quote(key)}`

function keyFaults(
  connection: Connection,
  number: number,
  root: RootPlan,
  phase: Begun<Plan>['phase'],
): string[] {
  const path = placeOf(root)
  const count = (sql: string) =>
    connection.query<{ rows: number }>(`SELECT count(*) AS rows FROM (${sql})`)[0]?.rows
  const source = pairs(number, root, phase)
  return [
    ...counted(count(`SELECT 1 FROM (${source}) WHERE id IS NULL`), path, 'without an id'),
    ...counted(
      count(`SELECT 1 FROM (SELECT id, lag(id) OVER (PARTITION BY round ORDER BY position) AS before FROM (${source}) WHERE id IS NOT NULL)
        WHERE id <= before`),
      path,
      'out of the order of creation',
    ),
  ]
}

function timesOf(
  connection: Connection,
  number: number,
  root: RootPlan,
  phase: Begun<Plan>['phase'],
  { storage, source }: KeyRecipe,
  faults: string[],
): TableVerification {
  const path = placeOf(root)
  const rows = connection.query<{ key: string; timeMs: number | null; id: unknown }>(
    `SELECT CAST(key AS TEXT) AS key, time_ms AS timeMs, ${readable(storage)} AS id FROM (${pairs(number, root, phase)}) WHERE id IS NOT NULL`,
  )
  const drifts = rows.map(({ key, timeMs, id }) =>
    driftOf(storage, id, rowTimeMs(source, key, timeMs), `${path} ${key}`, faults),
  )
  return { table: root.table, rows: rows.length, maxDriftMs: drifts.reduce((a, b) => Math.max(a, b), 0) }
}

/** Old values must lead to the same rows as new ones. Rows that came after the switch have no old values. */
function foreignKeyFaults(
  connection: Connection,
  { table, column, root }: ReplacedColumn,
  { roots }: Plan,
): string[] {
  const { table: target, key } = roots[root] as RootPlan
  const [found] = connection.query<{ rows: number }>(
    `SELECT count(*) AS rows FROM ${quote(table)} AS c LEFT JOIN ${quote(target)} AS r ON r.${quote(legacyName(key))} = c.${quote(legacyName(column))}
      WHERE c.${quote(legacyName(column))} IS NOT NULL AND c.${quote(column)} IS NOT r.${quote(key)}`,
  )
  return counted(found?.rows, pathOf({ table, column }), 'whose old and new values lead to different rows')
}

/** What SQLite itself finds in the tables that were made anew. */
export function violations(connection: Connection, { tables }: Plan): string[] {
  return tables.flatMap(({ table }) =>
    connection
      .query<{ rowid: number; parent: string }>(`PRAGMA foreign_key_check(${quote(table)})`)
      .map(({ rowid, parent }) => `${table}: row ${rowid} leads to no row of ${parent}`),
  )
}
