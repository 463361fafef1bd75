import { type Aims, againstYardsticks, type Table } from '../ratios.js'
import { raceTurns, type Turn } from '../turns.js'
import type { Session } from './place.js'
import { STEPS } from './samples.js'

const OPTIONS = { rounds: 200, warmUps: 20 }

/** SQL expressions by their name in the table. */
type Expressions<Name extends string> = Readonly<Record<Name, string>>

/** A race of expressions over the rows of the samples. */
export const compareOverSamples = <Name extends string>(
  session: Session,
  expressions: Expressions<Name>,
  yardsticks: readonly NoInfer<Name>[],
  aims: Partial<Record<NoInfer<Name>, Aims<NoInfer<Name>>>> = {},
): Promise<Table> => compare(session, expressions, 'samples', yardsticks, aims)

/** A race of expressions without input. */
export const compareMakers = <Name extends string>(
  session: Session,
  expressions: Expressions<Name>,
  yardsticks: readonly NoInfer<Name>[],
  aims: Partial<Record<NoInfer<Name>, Aims<NoInfer<Name>>>> = {},
): Promise<Table> => compare(session, expressions, `generate_series(1, ${STEPS}) AS number`, yardsticks, aims)

async function compare<Name extends string>(
  session: Session,
  expressions: Expressions<Name>,
  from: string,
  yardsticks: readonly Name[],
  aims: Partial<Record<Name, Aims<Name>>>,
): Promise<Table> {
  const turns: Partial<Record<Name, Turn>> = {}
  for (const name of Object.keys(expressions) as Name[]) {
    turns[name] = await counting(session, `SELECT count(${expressions[name]}) FROM ${from}`, STEPS)
  }
  const baseline = await counting(session, `SELECT count(number) FROM ${from}`, STEPS)
  const timings = await raceTurns(turns as Record<Name, Turn>, { ...OPTIONS, baseline })
  return againstYardsticks(timings, yardsticks, aims)
}

let turns = 0

/**
 * A query that counts its results, timed inside the server, so that the round trip doesn't count. It is planned once. A
 * NULL instead of a result would be missing from the count.
 */
export async function counting(session: Session, query: string, expected: number): Promise<Turn> {
  const name = `pg_temp.turn_${turns++}`
  await session.query(`
    CREATE FUNCTION ${name}() RETURNS bigint LANGUAGE plpgsql AS $turn$
    DECLARE
      start timestamptz := clock_timestamp();
      counted bigint := (${query});
      duration interval := clock_timestamp() - start;
    BEGIN
      IF counted <> ${expected} THEN
        RAISE EXCEPTION '% instead of ${expected}', counted;
      END IF;
      RETURN extract(epoch FROM duration) * 1000000000;
    END $turn$`)
  const call = { name, text: `SELECT ${name}() AS ns` }
  return async () => Number((await session.query<{ ns: string }>(call)).rows[0]?.ns)
}
