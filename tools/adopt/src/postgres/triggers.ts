import type { ReplacedColumn } from '../adoption.js'
import { noteBody, type Relations } from '../code-uses.js'
import type { Session } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { lastOf } from '../plan.js'
import type { Work } from '../work.js'
import { queryReplaced } from './replaced.js'

interface Trigger {
  readonly table: string
  readonly name: string
  /** Whether it also fires in replicating sessions. */
  readonly isAlways: boolean
  /** Its function's code and its arguments; null for code in other languages than SQL and PL/pgSQL. */
  readonly code: string | null
}

const TRIGGERS = `SELECT DISTINCT own AS "table", tgname AS name, tgenabled IN ('A', 'R') AS "isAlways",
    CASE WHEN l.lanname = 'plpgsql' THEN prosrc WHEN pronamespace = 'pg_catalog'::regnamespace THEN '' END
      || ' ' || encode(tgargs, 'escape') AS code
  FROM replaced JOIN pg_trigger ON tgrelid = attrelid JOIN pg_proc AS p ON p.oid = tgfoid
  JOIN pg_language AS l ON l.oid = prolang
 WHERE NOT tgisinternal AND tgparentid = 0 AND tgenabled <> 'D' ORDER BY 1, 2`

/** The first statement of a transaction that fills rows without firing triggers. */
export const SILENCE = 'SET LOCAL session_replication_role TO replica'
export const END_SILENCE = 'SET LOCAL session_replication_role TO DEFAULT'

/**
 * Notes triggers that would fire for filled rows, and those whose code may use the old keys. Returns whether the steps
 * must disable triggers.
 */
export function* checkTriggers(
  session: Session,
  columns: readonly ReplacedColumn[],
  relations: Relations,
  obstacles: Obstacles,
): Work<boolean> {
  const triggers = yield* queryReplaced<Trigger>(session, columns, TRIGGERS)
  const silenced = triggers.length > 0 && (yield* maySilence(session))
  for (const { table, name, isAlways, code } of triggers) {
    const what = `trigger ${name} on table ${table}`
    if (!silenced || isAlways)
      obstacles.ask(
        what,
        `it would fire for every row that the backfill updates; disable it, or run this as a role that may SET session_replication_role${isAlways ? ' and let it fire for ORIGIN only' : ''}`,
      )
    else if (code === null)
      obstacles.ask(
        what,
        'it is written in a language that adopt cannot read; review it, drop it and create it again after the switch',
      )
    else noteBody(what, code, relations, obstacles, [lastOf(table)])
  }
  return silenced
}

/** Managed servers grant the setting to their administrators. */
function* maySilence(session: Session): Work<boolean> {
  yield* session.run(['SAVEPOINT silence'])
  try {
    yield* session.run([SILENCE])
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error
    return false
  } finally {
    yield* session.run(['ROLLBACK TO SAVEPOINT silence', 'RELEASE SAVEPOINT silence'])
  }
}
