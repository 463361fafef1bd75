import type { PostgresDatabase } from '@snoflax/test'

/** The window of one lease, in the end: what its holder may have used. */
export interface Window {
  readonly holder: string
  readonly number: number
  readonly startMs: number
  readonly untilMs: number
}

/** From now on the database writes down all leases, by a trigger. */
export async function recordWindows(database: PostgresDatabase): Promise<void> {
  await database.query(`
    CREATE TABLE window_of (token uuid PRIMARY KEY, holder text, number integer, start_ms bigint, until_ms bigint)`)
  await database.query(`
    CREATE FUNCTION record_window() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- A release takes the token away, and lowers what was reserved.
      INSERT INTO public.window_of VALUES
        (coalesce(NEW.token, OLD.token), NEW.holder, NEW.number, NEW.start_ms, NEW.reserved_until_ms)
      ON CONFLICT (token) DO UPDATE SET until_ms = EXCLUDED.until_ms;
      RETURN NULL;
    END $$`)
  await database.query(
    'CREATE TRIGGER record_window AFTER UPDATE ON snoflax._lease FOR EACH ROW EXECUTE FUNCTION record_window()',
  )
}

export async function recordedWindows(database: PostgresDatabase): Promise<Window[]> {
  const rows = await database.query('SELECT * FROM window_of ORDER BY number, start_ms, until_ms')
  return rows.map((row) => ({
    holder: row['holder'] as string,
    number: row['number'] as number,
    startMs: Number(row['start_ms']),
    untilMs: Number(row['until_ms']),
  }))
}

/** Pairs of windows of one number that meet. */
export const overlaps = (windows: readonly Window[]): [Window, Window][] =>
  windows.flatMap((window, i): [Window, Window][] => {
    const next = windows[i + 1]
    return next?.number === window.number && next.startMs < window.untilMs ? [[window, next]] : []
  })
