import { isDeepStrictEqual } from 'node:util'
import { quoteName } from '@snoflax/core/adapter'
import type { Phase, ReplacedColumn } from './adoption.js'
import type { Driver } from './driver.js'
import { refuse } from './obstacles.js'
import { differs, familyFacts, newName, type Plan, pathOf, type RootPlan, rootOf, shownName } from './plan.js'
import type { KeyRecipe } from './recipes.js'
import { idBeside, newValueOf, refuseStrayKeys } from './references.js'
import type { Work } from './work.js'

export interface Begun<Details> {
  readonly phase: Exclude<Phase, 'planned'>
  readonly plan: Plan<Details>
}

export const stateStatements = (db: Pick<Driver, 'own'>): string[] => [
  `CREATE TABLE ${db.own('state')} (phase text NOT NULL, plan text NOT NULL)`,
  `CREATE TABLE ${db.own('round')} (
  item text, round integer, done bigint NOT NULL, total bigint NOT NULL, last_id text, PRIMARY KEY (item, round))`,
]

export function* readBegun<Details>(db: Driver<Details>): Work<Begun<Details> | undefined> {
  if (!(yield* db.hasState())) return undefined
  const [row] = yield* db.query<{ phase: Begun<Details>['phase']; plan: string }>(
    `SELECT phase, plan FROM ${db.own('state')}`,
  )
  return row && { phase: row.phase, plan: JSON.parse(row.plan) }
}

export function* writeBegun(db: Driver, plan: Plan): Work<void> {
  yield* db.query(`INSERT INTO ${db.own('state')} VALUES ('backfilling', $1)`, [JSON.stringify(plan)])
}

export const switchedStatement = (db: Pick<Driver, 'own'>): string =>
  `UPDATE ${db.own('state')} SET phase = 'switched'`

/** One pass over a table: a round of its rows for the key, or of its blocks for foreign keys. */
export interface Round {
  /** The table, or another part that is filled. */
  readonly item: string
  readonly round: number
  readonly done: number
  readonly total: number
  readonly lastId: string | null
}

export function* readRounds(db: Driver, item: string): Work<Round[]> {
  const rounds = yield* db.query<Record<keyof Round, string | null>>(
    `SELECT item, round, done, total, last_id AS "lastId" FROM ${db.own('round')} WHERE item = $1 ORDER BY round`,
    [item],
  )
  return rounds.map(({ round, done, total, lastId }) => ({
    item,
    round: Number(round),
    done: Number(done),
    total: Number(total),
    lastId,
  }))
}

/** Stores the progress of a round, within a transaction. */
export function* writeRound(db: Driver, round: Round): Work<void> {
  yield* db.query(`DELETE FROM ${db.own('round')} WHERE item = $1 AND round = $2`, [round.item, round.round])
  yield* db.query(`INSERT INTO ${db.own('round')} VALUES ($1, $2, $3, $4, $5)`, [
    round.item,
    round.round,
    round.done,
    round.total,
    round.lastId,
  ])
}

/**
 * @throws {IdError} naming the first value of a foreign key that references no row, or whose new value, if it should
 * exist by now, references another one.
 */
export function* refuseStrays(db: Driver, plan: Plan, column: ReplacedColumn, isFilled: boolean): Work<void> {
  const { roots } = plan
  if (column.via !== undefined) return yield* refuseStraysVia(db, plan, column, isFilled)
  const { table: target, key } = rootOf(roots, column)
  const own = `c.${quoteName(column.column)}`
  const isOther = isFilled
    ? `OR ${differs(`c.${quoteName(newName(column.column))}`, `r.${quoteName(newName(key))}`)}`
    : ''
  const [row] = yield* db.query<{ value: string; found: string | null }>(
    `SELECT CAST(${own} AS ${db.textType}) AS value, CAST(r.${quoteName(key)} AS ${db.textType}) AS found
       FROM ${column.table} AS c LEFT JOIN ${target} AS r ON r.${quoteName(key)} = ${own}
      WHERE (${own} IS NOT NULL AND r.${quoteName(key)} IS NULL) ${isOther} LIMIT 1`,
  )
  if (row === undefined) return
  const { value, found } = row
  if (value === found) refuseUnfilled(pathOf(column))
  refuse(
    pathOf(column),
    `the value ${value} references no row of ${shownName(target)}; correct it first`,
    value,
  )
}

function* refuseStraysVia(db: Driver, plan: Plan, column: ReplacedColumn, isFilled: boolean): Work<void> {
  yield* refuseStrayKeys(db, plan, column)
  if (!isFilled) return
  const idOf = idBeside(db.database, plan.roots, column, quoteName, (name) => quoteName(newName(name)))
  const value = newValueOf(db.database, column, `c.${quoteName(column.column)}`, 'c', idOf)
  const rows = yield* db.query(
    `SELECT 1 FROM ${column.table} AS c WHERE ${differs(`c.${quoteName(newName(column.column))}`, value)} LIMIT 1`,
  )
  if (rows.length > 0) refuseUnfilled(pathOf(column))
}

export const refuseUnfilled = (place: string): never =>
  refuse(place, 'some rows were not updated; look for a trigger that cancels updates')

const planned = ({ family, prefix, storage }: RootPlan): string =>
  `${family} as ${storage}${prefix === undefined ? '' : ` with prefix ${prefix}_`}`

/** Refuses options that differ from the plan in progress. Functions and times are passed again. */
export function refuseOther({ roots }: Plan, recipes: readonly KeyRecipe[]): void {
  const isSame = (root: RootPlan, i: number): boolean => {
    const { storage } = recipes[i] ?? {}
    if (storage === undefined || storage.name !== root.storage) return false
    const { family, prefix, layout } = root
    return isDeepStrictEqual({ family, prefix, layout }, familyFacts(storage.family))
  }
  if (roots.length === recipes.length && roots.every(isSame)) return
  const begun = roots.map((root) => `${shownName(root.table)} to ${planned(root)}`)
  refuse(
    'tables',
    `an adoption of ${begun.join(', ')} is in progress; plan it with the same tables and families, or abandon it`,
  )
}
