import type { RootPlan } from '../root-plan.js'
import type { Begun } from '../under-way.js'
import type { Connection } from './connection.js'
import type { Plan } from './plan.js'

const STATE = 'snoflax_adoption_state'

/**
 * Old keys, in rounds and in the order of their times, with their ids as far as these are made. The key has its
 * old type: SQLite uses no index where a comparison would have to convert it.
 */
export const mapTable = (number: number): string => `snoflax_adoption_map_${number + 1}`

export const createStatements = ({ roots }: Plan): string[] => [
  `CREATE TABLE ${STATE} (phase TEXT NOT NULL, plan TEXT NOT NULL)`,
  ...roots.map(
    ({ keyType, type }: RootPlan, number) =>
      `CREATE TABLE ${mapTable(number)} (position INTEGER PRIMARY KEY, round INTEGER NOT NULL, key ${keyType} UNIQUE NOT NULL, time_ms INTEGER, id ${type} UNIQUE)`,
  ),
]

export const dropStatements = ({ roots }: Plan): string[] => [
  ...roots.map((_, number) => `DROP TABLE ${mapTable(number)}`),
  `DROP TABLE ${STATE}`,
]

export const SWITCHED = `UPDATE ${STATE} SET phase = 'switched'`

export function readBegun(connection: Connection): Begun<Plan> | undefined {
  if (connection.query(`SELECT 1 FROM sqlite_schema WHERE name = '${STATE}'`).length === 0) return undefined
  const [row] = connection.query<{ phase: Begun<Plan>['phase']; plan: string }>(
    `SELECT phase, plan FROM ${STATE}`,
  )
  return row && { phase: row.phase, plan: JSON.parse(row.plan) as Plan }
}

export function writeBegun(connection: Connection, plan: Plan): void {
  connection.run(`INSERT INTO ${STATE} VALUES ('backfilling', ?)`, [JSON.stringify(plan)])
}
