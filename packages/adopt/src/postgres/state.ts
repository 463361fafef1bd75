import type { Begun } from '../under-way.js'
import type { Plan } from './plan.js'
import type { Session } from './session.js'

/** One pass over a table: a round of its rows for the key, or of its blocks for foreign keys. */
export interface Round {
  readonly round: number
  readonly done: number
  readonly total: number
  readonly lastId: string | null
}

export const CREATE_STATE = [
  'CREATE SCHEMA snoflax_adoption',
  `CREATE TABLE snoflax_adoption.state (phase text NOT NULL, plan json NOT NULL)`,
  `CREATE TABLE snoflax_adoption.round (
  item text, round integer, done bigint NOT NULL, total bigint NOT NULL, last_id text, PRIMARY KEY (item, round))`,
] as const

export const DROP_STATE = 'DROP SCHEMA snoflax_adoption CASCADE'

export async function readBegun(session: Session): Promise<Begun<Plan> | undefined> {
  const [there] = await session.query<{ there: boolean }>(
    "SELECT to_regclass('snoflax_adoption.state') IS NOT NULL AS there",
  )
  if (!there?.there) return undefined
  const [begun] = await session.query<Begun<Plan> & Record<string, unknown>>(
    'SELECT phase, plan FROM snoflax_adoption.state',
  )
  return begun
}

export async function writeBegun(session: Session, plan: Plan): Promise<void> {
  await session.query("INSERT INTO snoflax_adoption.state VALUES ('backfilling', $1::json)", [
    JSON.stringify(plan),
  ])
}

export async function readRounds(session: Session, item: string): Promise<Round[]> {
  const rounds = await session.query<{ round: number; done: string; total: string; lastId: string | null }>(
    'SELECT round, done, total, last_id AS "lastId" FROM snoflax_adoption.round WHERE item = $1 ORDER BY round',
    [item],
  )
  return rounds.map(({ round, done, total, lastId }) => ({
    round,
    done: Number(done),
    total: Number(total),
    lastId,
  }))
}

export async function writeRound(
  session: Session,
  item: string,
  { round, done, total, lastId }: Round,
): Promise<void> {
  await session.query(
    `INSERT INTO snoflax_adoption.round VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (item, round) DO UPDATE SET done = excluded.done, last_id = excluded.last_id`,
    [item, round, done, total, lastId],
  )
}
