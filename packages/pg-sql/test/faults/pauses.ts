import type { PostgresDatabase } from '@snoflax/test'

type Session = Awaited<ReturnType<PostgresDatabase['connect']>>

/** Ends up before the line if that begins a statement of PL/pgSQL. */
const BEGINS = /^\s+(?!(?:END|ELSE|ELSIF|EXCEPTION|WHEN)\b|--)/
const AFTER = /(?:;|\b(?:BEGIN|THEN|ELSE|LOOP))$/

/**
 * Puts a stop before each statement of the slow path. A session stops at the stop that `test.stop_at` names, counted as
 * it passes them, while another holds the advisory lock 4711.
 */
export async function addStops(database: PostgresDatabase): Promise<void> {
  await database.query(`CREATE FUNCTION stop() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE passed integer := coalesce(nullif(current_setting('test.passed', true), ''), '0')::integer + 1;
    BEGIN
      PERFORM set_config('test.passed', passed::text, false);
      IF current_setting('test.stop_at', true) = passed::text THEN
        PERFORM pg_advisory_lock_shared(4711);
        PERFORM pg_advisory_unlock_shared(4711);
      END IF;
    END $$`)
  const [row] = await database.query(
    "SELECT pg_get_functiondef('snoflax._clock_advance(text)'::regprocedure) AS text",
  )
  const lines = String(row?.['text']).split('\n')
  const body = lines.indexOf('BEGIN')
  const stopped = lines.map((line, i) => {
    const code = lines.slice(0, i).filter((other) => other.trim() && !other.trim().startsWith('--'))
    const before = code.at(-1) ?? ''
    const begins = i > body && BEGINS.test(line) && AFTER.test(before.trim())
    return begins ? `PERFORM public.stop();\n${line}` : line
  })
  await database.query(stopped.join('\n'))
}

/**
 * Runs the statement in a session that stops at that stop, and meanwhile the other work. The statement's result, and
 * whether it stopped at all.
 */
export async function stopped<Result>(
  database: PostgresDatabase,
  at: number,
  statement: (session: Session) => Promise<Result>,
  meanwhile: () => Promise<void>,
): Promise<{ result: Result; stopped: boolean }> {
  const [holder, session] = await Promise.all([database.pool.connect(), database.connect()])
  await holder.query('SELECT pg_advisory_lock(4711)')
  await session.query(`SET test.stop_at = ${at}`)
  await session.query("SELECT set_config('test.passed', '0', false)")

  const ended = statement(session).then((result) => ({ result }))
  let isStopped = false
  try {
    for (let done = false; !isStopped && !done; ) {
      const { rows } = await holder.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
      isStopped = rows.length > 0
      done = await Promise.race([
        ended.then(() => true),
        new Promise<false>((next) => setTimeout(next, 2, false)),
      ])
    }
    if (isStopped) await meanwhile()
  } finally {
    await holder.query('SELECT pg_advisory_unlock(4711)')
  }
  const { result } = await ended
  holder.release()
  await session.end()
  return { result, stopped: isStopped }
}
