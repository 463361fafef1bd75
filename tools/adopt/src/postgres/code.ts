import type { ReplacedColumn } from '../adoption.js'
import { addRelation, type Code, noteBody, noteUse, noteViews, type Relations, useOf } from '../code-uses.js'
import type { Session } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { lastOf } from '../plan.js'
import type { Work } from '../work.js'
import { OURS } from './catalog.js'
import { queryReplaced } from './replaced.js'

/**
 * Bodies that are texts to the server, except those of the triggers of replaced tables; the tables and views whose rows
 * they get, which they need not name; and what they call those rows.
 */
const BODIES = `SELECT 'function ' || p.oid::regprocedure AS name, prosrc AS sql, ARRAY(
    SELECT relname::text FROM pg_class AS r JOIN pg_type AS t ON reltype IN (t.oid, t.typelem) AND reltype <> 0
     WHERE t.oid = ANY (coalesce(proallargtypes, proargtypes::oid[]) || prorettype)
    UNION SELECT relname FROM pg_trigger JOIN pg_class AS r ON r.oid = tgrelid WHERE tgfoid = p.oid) AS own, ARRAY(
    SELECT called FROM unnest(coalesce(proallargtypes, proargtypes::oid[])) WITH ORDINALITY AS a (type, i)
      JOIN pg_type AS t ON t.oid = type JOIN pg_class AS r ON reltype IN (t.oid, t.typelem) AND reltype <> 0,
      LATERAL unnest(ARRAY['$' || i, proargnames[i]]) AS names (called) WHERE called <> '') AS rows
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace JOIN pg_language AS l ON l.oid = prolang
 WHERE l.lanname NOT IN ('c', 'internal') AND prosqlbody IS NULL AND ${OURS}
   AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
   AND NOT EXISTS (SELECT FROM pg_trigger JOIN replaced ON attrelid = tgrelid WHERE tgfoid = p.oid) ORDER BY 1`

interface Body {
  readonly name: string
  readonly sql: string
  readonly own: readonly string[]
  readonly rows: readonly string[]
}

/** Notes code of all schemas that uses replaced columns. */
export function* noteCode(
  session: Session,
  columns: readonly ReplacedColumn[],
  code: readonly Code[],
  relations: Relations,
  obstacles: Obstacles,
): Work<void> {
  const members = yield* queryReplaced<{ own: string; table: string }>(
    session,
    columns,
    'SELECT DISTINCT own, "table" FROM replaced WHERE own <> "table"',
  )
  for (const { own, table } of members)
    addRelation(relations, lastOf(own), [], relations.get(lastOf(table).toLowerCase())?.keys ?? new Map())
  const isView = ({ name }: Code): boolean => /^(materialized )?view /.test(name)
  noteViews(code.filter(isView), 'postgres', relations, obstacles)
  for (const { name, of, sql } of code.filter((one) => !isView(one))) {
    const { problem, isConcerned } = useOf(sql, 'postgres', relations, of)
    if (isConcerned) noteUse(name, problem, obstacles)
  }
  const bodies = yield* queryReplaced<Body>(session, columns, BODIES)
  for (const { name, sql, own, rows } of bodies) noteBody(name, sql, relations, obstacles, own, rows)
}
