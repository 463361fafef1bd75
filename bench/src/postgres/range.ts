import { againstYardsticks } from '../ratios.js'
import type { Section } from '../report.js'
import { raceTurns, type Turn } from '../turns.js'
import { counting } from './compare.js'
import type { Place, Session } from './place.js'

const ROWS = 100_000
/** One row in this time. */
const STEP_S = 30
const QUESTIONS = 20
const OPTIONS = { rounds: 200, warmUps: 20 }
const CREATED_AT = 'indexed created_at'
const LITERALS = 'flax as uuid, two literals'
const CONSTANTS = 'flax as uuid, flax_between of constants'

interface Keyed {
  readonly type: string
  /** The key of a row of that time. */
  readonly key: string
  readonly bound: (at: string) => string
}

const call =
  (name: string) =>
  (at: string): string =>
    `snoflax.${name}(${at})`

/** No two rows have the same time, so its smallest id can be the key. */
const byBound = (type: string, name: string): Keyed => ({ type, key: call(name)('at'), bound: call(name) })

const tables: Readonly<Record<string, Keyed>> = {
  'flax as uuid': {
    type: 'uuid',
    key: 'snoflax.flax_generate_at_uuid(at)',
    bound: call('flax_lower_bound_uuid'),
  },
  'flax as binary': {
    type: 'bytea',
    key: 'snoflax.flax_generate_at(at)',
    bound: call('flax_lower_bound'),
  },
  'flax as text': {
    type: 'text COLLATE "C"',
    key: 'snoflax.flax_generate_at_text(at)',
    bound: call('flax_lower_bound_text'),
  },
  'sno as uuid': byBound('uuid', 'sno_lower_bound_uuid'),
  'sno as binary': byBound('bytea', 'sno_lower_bound'),
  'flake as bigint': byBound('bigint', 'flake_lower_bound_bigint'),
  'uidLocal as bigint': byBound('bigint', 'uid_local_lower_bound_bigint'),
}

/** The hours, each with the same number of rows. */
const HOURS = `(
  SELECT timestamptz '2026-01-01Z' + number * 37 * interval '1 hour' AS hour
    FROM generate_series(1, ${QUESTIONS}) AS number) AS hours`
const ROWS_AN_HOUR = 3600 / STEP_S

export const range: Section<Place> = {
  name: 'pg-range',
  run: async ({ session }) => {
    const turns: Record<string, Turn> = {}
    const add = async (name: string, text: string): Promise<void> => {
      await checkPlan(session, text)
      turns[name] = await counting(session, text, QUESTIONS * ROWS_AN_HOUR)
    }

    for (const [i, [name, { type, key, bound }]] of Object.entries(tables).entries()) {
      const table = `ranged_${i}`
      await fill(session, table, `id ${type} PRIMARY KEY`, key)
      await writeBounds(session, `bounds_${i}`, type, bound)
      await add(name, question(table, 'id', `bounds_${i}`))
      await add(`${name}, bounds in SQL`, question(table, 'id', HOURS, bound))
    }
    // All queries in one statement, planned once, like the query of the first table.
    const { rows: hours } = await session.query<{ gte: string; lt: string; from: string; until: string }>(
      `SELECT bounds.gte, bounds.lt, hour::text AS from, (${HOUR_LATER})::text AS until FROM ${HOURS}
         JOIN bounds_0 AS bounds ON bounds.gte = ${call('flax_lower_bound_uuid')('hour')}`,
    )
    await add(LITERALS, inOne(hours.map(({ gte, lt }) => `id >= '${gte}' AND id < '${lt}'`)))
    await add(
      CONSTANTS,
      inOne(hours.map(({ from, until }) => `snoflax.flax_between(id, '${from}', '${until}')`)),
    )
    await add(
      'flax as uuid, flax_between',
      `SELECT sum(rows) FROM ${HOURS}, LATERAL (
        SELECT count(payload) AS rows FROM ranged_0 WHERE snoflax.flax_between(id, hour, ${HOUR_LATER})) AS answer`,
    )
    const columns = 'id uuid PRIMARY KEY, created_at timestamptz NOT NULL'
    await fill(session, 'ranged_at', columns, 'gen_random_uuid(), at')
    await session.query('CREATE INDEX ON ranged_at (created_at); ANALYZE ranged_at')
    await writeBounds(session, 'bounds_at', 'timestamptz', (at) => at)
    await add(CREATED_AT, question('ranged_at', 'created_at', 'bounds_at'))

    return {
      title: 'What happened within an hour?',
      about:
        `${ROWS_AN_HOUR} rows of ${ROWS.toLocaleString('en-US')}, by a range of the primary key, ` +
        'beside a table with a random UUID as key and an index on created_at. Bounds are values that the ' +
        'application sends, or computed in SQL; literals and constants are planned once.',
      ...againstYardsticks(await raceTurns(turns, OPTIONS), [CREATED_AT, LITERALS], {
        [CREATED_AT]: Object.fromEntries(Object.keys(tables).map((name) => [name, 1])),
        [LITERALS]: { [CONSTANTS]: 1.05 },
      }),
    }
  },
}

async function fill(session: Session, table: string, columns: string, values: string): Promise<void> {
  await session.query(`CREATE TABLE ${table} (${columns}, payload text NOT NULL)`)
  await session.query(
    `INSERT INTO ${table} SELECT ${values}, 'row ' || number
       FROM generate_series(0, ${ROWS - 1}) AS number,
         LATERAL (SELECT timestamptz '2026-01-01Z' + number * interval '${STEP_S} s' AS at) AS moment`,
  )
  await session.query(`ANALYZE ${table}`)
}

async function writeBounds(
  session: Session,
  table: string,
  type: string,
  bound: Keyed['bound'],
): Promise<void> {
  await session.query(`CREATE TABLE ${table} (gte ${type}, lt ${type})`)
  await session.query(`INSERT INTO ${table} SELECT ${bound('hour')}, ${bound(HOUR_LATER)} FROM ${HOURS}`)
  await session.query(`ANALYZE ${table}`)
}

const HOUR_LATER = "hour + interval '1 hour'"

/** Queries the rows of each hour; without `bounds`, the bounds were computed before. */
function question(table: string, column: string, hours: string, bound?: Keyed['bound']): string {
  const [gte, lt] = bound ? [bound('hour'), bound(HOUR_LATER)] : ['gte', 'lt']
  return `SELECT sum(rows) FROM ${hours}, LATERAL (
    SELECT count(payload) AS rows FROM ${table} WHERE ${column} >= ${gte} AND ${column} < ${lt}) AS answer`
}

const inOne = (conditions: readonly string[]): string =>
  `SELECT sum(rows) FROM (${conditions
    .map((condition) => `SELECT count(payload) AS rows FROM ranged_0 WHERE ${condition}`)
    .join(' UNION ALL ')}) AS answers`

async function checkPlan(session: Session, text: string): Promise<void> {
  const { rows } = await session.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  if (/Seq Scan on ranged/.test(plan) || !/Index Scan/.test(plan))
    throw new Error(`The plan does not use the index:\n${plan}`)
}
