import { quoteName } from '@snoflax/core/adapter'
import type { Phase } from './adoption.js'
import type { Driver, Work } from './driver.js'
import { type Plan, pathOf, rootOf, shownName } from './plan.js'
import type { KeyRecipe } from './recipes.js'
import { refuse, refuseOtherSession } from './refusal.js'

/** What is kept of an adoption in the database. */
export interface Begun<Details> {
  readonly phase: Exclude<Phase, 'planned'>
  readonly plan: Plan<Details>
}

export const stateStatements = (db: Driver): string[] => [
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

export const switchedStatement = (db: Driver): string => `UPDATE ${db.own('state')} SET phase = 'switched'`

/** One pass over a table: a round of its rows for the key, or of its blocks for foreign keys. */
export interface Round {
  /** The table, or what else is filled. */
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

export function* writeRound(db: Driver, round: Round): Work<void> {
  yield* db.query(
    `INSERT INTO ${db.own('round')} VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (item, round) DO UPDATE SET done = excluded.done, last_id = excluded.last_id`,
    [round.item, round.round, round.done, round.total, round.lastId],
  )
}

/** @throws {IdError} if the round has gone on without us. */
export function* refuseMovedOn(db: Driver, { item, round, done }: Round): Work<void> {
  const rounds = yield* readRounds(db, item)
  if (rounds.find((one) => one.round === round)?.done !== done) refuseOtherSession()
}

/** @throws {IdError} naming the first value of a foreign key that leads to no row. */
export function* refuseOrphans(db: Driver, { roots, columns }: Plan): Work<void> {
  for (const column of columns.filter(({ isRoot }) => !isRoot)) {
    const { table: target, key } = rootOf(roots, column)
    const own = `c.${quoteName(column.column)}`
    const [row] = yield* db.query<{ value: string }>(
      `SELECT CAST(${own} AS text) AS value FROM ${column.table} AS c WHERE ${own} IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM ${target} AS r WHERE r.${quoteName(key)} = ${own}) LIMIT 1`,
    )
    if (row === undefined) continue
    refuse(
      pathOf(column),
      `the value ${row.value} leads to no row of ${shownName(target)}; mend it first`,
      row.value,
    )
  }
}

/** What was begun goes on as it was planned; only functions and times are given anew. */
export function refuseOther({ roots }: Plan, recipes: readonly KeyRecipe[]): void {
  const isSame = roots.every(
    ({ family, storage }, i) =>
      family === recipes[i]?.storage.family.name && storage === recipes[i]?.storage.name,
  )
  if (isSame && roots.length === recipes.length) return
  const told = roots.map(({ table, family, storage }) => `${shownName(table)} to ${family} as ${storage}`)
  refuse(
    'tables',
    `an adoption of ${told.join(', ')} is under way; plan with the same tables and families, or abandon it`,
  )
}

/** A table, foreign key or index that came since the plan was made would be missed. */
export function refuseChanges(planned: Plan, now: Plan): void {
  if (JSON.stringify(now) === JSON.stringify(planned)) return
  refuse('switchKeys', 'the schema has changed since the backfill began; abandon it and begin again')
}

/** When a step can't be taken, and why. */
const TOO_LATE_OR_EARLY = {
  finish: { phase: 'backfilling', reason: 'the keys are not switched yet' },
  abandon: { phase: 'switched', reason: 'the keys are switched; there is no way back but a restore' },
} as const

/** @throws {IdError} for a step that this phase doesn't allow. */
export function checkStep(step: keyof typeof TOO_LATE_OR_EARLY, current: Phase): void {
  const { phase, reason } = TOO_LATE_OR_EARLY[step]
  if (current === phase) refuse(step, reason)
}
