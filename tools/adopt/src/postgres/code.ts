import type { ReplacedColumn } from '../adoption.js'
import { addRelation, noteBody, noteUse, noteViews, type Relations, useOf, type View } from '../code-uses.js'
import type { Session } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { lastOf } from '../plan.js'
import type { Work } from '../work.js'
import { OURS } from './catalog.js'
import { queryReplaced } from './replaced.js'

const VIEWS = `SELECT CASE relkind WHEN 'm' THEN 'materialized ' ELSE '' END || format('view %I.%I', nspname, relname) AS name,
    relname AS view, pg_get_viewdef(c.oid) AS sql
  FROM views JOIN pg_class AS c USING (oid) JOIN pg_namespace AS n ON n.oid = relnamespace ORDER BY level, c.oid`

/** Expressions that the server has parsed, with the table that they belong to. */
const EXPRESSIONS = `SELECT DISTINCT name, of, sql FROM (
    SELECT format('constraint %s on table %s', conname, own) AS name, relname AS of, pg_get_expr(conbin, conrelid) AS sql
      FROM used JOIN replaced USING (attrelid, attnum) JOIN pg_constraint AS c ON classid = 'pg_constraint'::regclass AND c.oid = objid
      JOIN pg_class AS r ON r.oid = conrelid WHERE contype = 'c'
    UNION ALL SELECT 'index ' || i.relname, r.relname, concat_ws(', ', pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid))
      FROM (SELECT DISTINCT attrelid FROM replaced) AS k JOIN pg_index ON indrelid = attrelid
      JOIN pg_class AS i ON i.oid = indexrelid JOIN pg_class AS r ON r.oid = indrelid
     WHERE indexprs IS NOT NULL OR indpred IS NOT NULL
    UNION ALL SELECT format('policy %s on table %I.%I', polname, nspname, relname), relname,
           concat_ws(', ', pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
      FROM used JOIN pg_policy AS p ON classid = 'pg_policy'::regclass AND p.oid = objid
      JOIN pg_class AS r ON r.oid = polrelid JOIN pg_namespace AS n ON n.oid = relnamespace
    UNION ALL SELECT format('statistics %I.%I', nspname, stxname), relname, array_to_string(pg_get_statisticsobjdef_expressions(s.oid), ', ')
      FROM used JOIN pg_statistic_ext AS s ON classid = 'pg_statistic_ext'::regclass AND s.oid = objid
      JOIN pg_class AS r ON r.oid = stxrelid JOIN pg_namespace AS n ON n.oid = stxnamespace
    UNION ALL SELECT format('trigger %s on table %s', tgname, own), relname,
           substring(pg_get_triggerdef(g.oid) FROM ' WHEN \\((.*)\\) EXECUTE ')
      FROM used JOIN replaced USING (attrelid, attnum) JOIN pg_trigger AS g ON classid = 'pg_trigger'::regclass AND g.oid = objid
      JOIN pg_class AS r ON r.oid = tgrelid WHERE NOT tgisinternal AND tgparentid = 0
    UNION ALL SELECT 'function ' || p.oid::regprocedure, NULL, pg_get_function_sqlbody(p.oid)
      FROM used JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND p.oid = objid AND prokind IN ('f', 'p')
  ) AS found WHERE sql <> '' ORDER BY 1`

/**
 * Bodies that are texts to the server, except those of the triggers of replaced tables; and the tables and views whose
 * rows they get, which they need not name.
 */
const BODIES = `SELECT 'function ' || p.oid::regprocedure AS name, prosrc AS sql, ARRAY(
    SELECT relname::text FROM pg_class AS r JOIN pg_type AS t ON reltype IN (t.oid, t.typelem) AND reltype <> 0
     WHERE t.oid = ANY (coalesce(proallargtypes, proargtypes::oid[]) || prorettype)
    UNION SELECT relname FROM pg_trigger JOIN pg_class AS r ON r.oid = tgrelid WHERE tgfoid = p.oid) AS own
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace JOIN pg_language AS l ON l.oid = prolang
 WHERE l.lanname NOT IN ('c', 'internal') AND prosqlbody IS NULL AND ${OURS}
   AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
   AND NOT EXISTS (SELECT FROM pg_trigger JOIN replaced ON attrelid = tgrelid WHERE tgfoid = p.oid) ORDER BY 1`

/** Notes code of all schemas that uses replaced columns. */
export function* noteCode(
  session: Session,
  columns: readonly ReplacedColumn[],
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
  noteViews(yield* queryReplaced<View>(session, columns, VIEWS), 'postgres', relations, obstacles)
  const expressions = yield* queryReplaced<{ name: string; of: string | null; sql: string }>(
    session,
    columns,
    EXPRESSIONS,
  )
  for (const { name, of, sql } of expressions) {
    const { problem, isConcerned } = useOf(sql, 'postgres', relations, of ?? undefined)
    if (isConcerned) noteUse(name, problem, obstacles)
  }
  const bodies = yield* queryReplaced<{ name: string; sql: string; own: string[] }>(session, columns, BODIES)
  for (const { name, sql, own } of bodies) noteBody(name, sql, relations, obstacles, own)
}
