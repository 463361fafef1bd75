import type { ReplacedColumn } from '../adoption.js'
import type { Session } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
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
  obstacles: Obstacles,
): Work<boolean> {
  const triggers = yield* queryReplaced<Trigger>(session, columns, TRIGGERS)
  const silenced = triggers.length > 0 && (yield* maySilence(session))
  const names = [...new Set(columns.map(({ column }) => column.toLowerCase()))]
  for (const { table, name, isAlways, code } of triggers) {
    const reason =
      !silenced || isAlways
        ? `it would fire for every row that the backfill updates; disable it, or run this as a role that may SET session_replication_role${isAlways ? ' and let it fire for ORIGIN only' : ''}`
        : reasonToLook(code, names)
    if (reason !== undefined) obstacles.ask(`trigger ${name} on table ${table}`, reason)
    else obstacles.list(`trigger ${name} on table ${table}`, 'unaffected', 'its code does not mention keys')
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

const LOOK = 'review it, drop it and create it again after the switch'

/** Why a person must review a trigger's code; undefined if it can't depend on the keys. */
function reasonToLook(code: string | null, columns: readonly string[]): string | undefined {
  if (code === null) return `it is written in a language that adopt cannot read; ${LOOK}`
  const words: readonly string[] = code.toLowerCase().match(/[\w$]+/g) ?? []
  const used = columns.find((column) => words.includes(column) || !/^[\w$]+$/.test(column))
  if (used !== undefined) return `it mentions ${used}, which will be a new key; ${LOOK}`
  if (words.includes('execute')) return `it runs dynamic SQL; ${LOOK}`
  // The columns of a row have another order after the switch.
  const rows = code.replace(/\breturn\s+(new|old)\b/gi, '')
  return /\b(new|old)\b(?!\s*\.\s*[\w"$])/i.test(rows) ? `it uses the whole row; ${LOOK}` : undefined
}
