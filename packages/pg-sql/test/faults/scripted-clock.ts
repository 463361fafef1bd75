import type { PostgresDatabase } from '@snoflax/test'

/** A clock that stands still until it is set. All sessions see it at once, whatever their snapshot. */
export interface ScriptedClock {
  set(unixUs: number): Promise<void>
  /** Moves it, back too. */
  move(us: number): Promise<void>
  now(): Promise<number>
}

/** 2026-11-01T00:00:00Z. */
export const START_US = 1_793_491_200_000_000

/** Puts a scripted clock in place of the database's. A sequence holds it, since sequences are outside transactions. */
export async function scriptClock(database: PostgresDatabase, unixUs = START_US): Promise<ScriptedClock> {
  await database.query('CREATE SEQUENCE scripted_clock MINVALUE -9223372036854775808')
  await database.query('GRANT SELECT ON SEQUENCE scripted_clock TO PUBLIC')
  const set = async (us: number) => {
    await database.query('SELECT setval($1, $2)', ['scripted_clock', us])
  }
  const now = async () =>
    Number((await database.query('SELECT last_value FROM scripted_clock'))[0]?.['last_value'])
  await set(unixUs)
  await putClock(database)
  return { set, now, move: async (us) => set((await now()) + us) }
}

/** Lets the functions read the scripted clock, after an installation that gave them the server's again. */
export async function putClock(database: PostgresDatabase): Promise<void> {
  await database.query(
    'CREATE OR REPLACE FUNCTION snoflax._clock_us() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE ' +
      'RETURN (SELECT last_value FROM public.scripted_clock)',
  )
}
