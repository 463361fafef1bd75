import type { ReplacedColumn } from '../adoption.js'
import type { Code } from '../code-uses.js'
import type { Session } from '../driver.js'
import { lastOf } from '../plan.js'
import type { Work } from '../work.js'
import { comment, INDEX_DEFINITION, indexExtras } from './catalog.js'
import { queryReplaced } from './replaced.js'

/**
 * An object that depends on a replaced column: dropped before the columns exchange their names, and created again from
 * its definition, with owner, privileges and comments.
 */
export interface Recreated {
  /** Its name in messages: `view public.recent`. */
  readonly what: string
  /** Indexes are dropped after foreign keys and created before them. */
  readonly isIndex: boolean
  readonly takeDown: readonly string[]
  readonly putBack: readonly string[]
}

/** The statements for a column's settings. */
const columnSettings = (table: string, column: string): string => `array_remove(ARRAY[
    (SELECT format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', ${table}, ${column}, target)
       FROM (SELECT (to_jsonb(a) ->> 'attstattarget')::integer AS target) AS t WHERE target >= 0),
    (SELECT format('ALTER TABLE %s ALTER COLUMN %I SET (%s)', ${table}, ${column}, array_to_string(attoptions, ', ')) WHERE attoptions IS NOT NULL)
  ], NULL)`

const TRIGGER = (table: string): string => `pg_get_triggerdef(g.oid),
  'ALTER TABLE ' || ${table} || CASE tgenabled WHEN 'D' THEN ' DISABLE' WHEN 'R' THEN ' ENABLE REPLICA' WHEN 'A' THEN ' ENABLE ALWAYS' END
    || format(' TRIGGER %I', tgname),
  ${comment(`format('TRIGGER %I ON %s', tgname, ${table})`, 'pg_trigger', 'g.oid')}`

const GRANTEE = (role: string): string =>
  `CASE ${role} WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(${role})) END`

const GRANTS = (acl: string, columns: string, table: string): string =>
  `SELECT format('GRANT %s ON %s TO %s%s', string_agg(privilege_type || ${columns}, ', ' ORDER BY privilege_type), ${table},
     ${GRANTEE('grantee')}, CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
     FROM aclexplode(${acl}) GROUP BY grantee, is_grantable ORDER BY 1`

/**
 * Each query returns rows of `what`, `down` and `up`; views in an order in which they can be created. With `sql` that the
 * server has parsed also `of`: the view, or the table that an expression is over.
 */
const RECREATED = [
  // Properties of the key or foreign key itself, which are lost with the old column.
  `SELECT format('what is kept of %s.%s', own, "column") AS what, NULL::text[] AS down, ARRAY(
     SELECT format('COMMENT ON COLUMN %s.%I IS %L', own, "column", description) FROM pg_description
      WHERE classoid = 'pg_class'::regclass AND objoid = k.attrelid AND objsubid = k.attnum) || ARRAY(
     ${GRANTS('attacl', `format(' (%I)', "column")`, 'own')}) || ${columnSettings('own', '"column"')} || ARRAY(
     SELECT format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', own, "column") WHERE attnotnull AND own <> "table") AS up
     FROM replaced AS k JOIN pg_attribute AS a USING (attrelid, attnum) ORDER BY own, "column"`,
  // A sequence that others use stays, without an owner.
  `SELECT 'sequence ' || s.oid::regclass AS what, ARRAY['ALTER SEQUENCE ' || s.oid::regclass || ' OWNED BY NONE'] AS down, NULL AS up
     FROM used AS u JOIN pg_class AS s ON u.classid = 'pg_class'::regclass AND s.oid = u.objid AND s.relkind = 'S' AND u.deptype = 'a'
    WHERE EXISTS (SELECT FROM pg_depend AS d LEFT JOIN pg_attrdef AS v ON d.classid = 'pg_attrdef'::regclass AND v.oid = d.objid
      WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid
        AND (v.adrelid, v.adnum) IS DISTINCT FROM (u.attrelid, u.attnum)) ORDER BY 1`,
  // Checks and exclusion constraints, without those that partitions inherit.
  `SELECT DISTINCT format('constraint %s on table %s', conname, own) AS what,
     ARRAY[format('ALTER TABLE %s DROP CONSTRAINT %I', own, conname)] AS down,
     array_remove(ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s', own, conname, pg_get_constraintdef(c.oid)),
       ${comment(`format('CONSTRAINT %I ON %s', conname, own)`, 'pg_constraint', 'c.oid')}], NULL) AS up,
     attrelid::regclass::text AS of, pg_get_expr(conbin, conrelid) AS sql
     FROM used JOIN replaced USING (attrelid, attnum) JOIN pg_constraint AS c ON classid = 'pg_constraint'::regclass AND c.oid = objid
    WHERE contype IN ('c', 'x') AND contypid = 0 AND coninhcount = 0 ORDER BY 1`,
  `SELECT DISTINCT format('statistics %I.%I', nspname, stxname) AS what,
     ARRAY[format('DROP STATISTICS %I.%I', nspname, stxname)] AS down,
     array_remove(ARRAY[pg_get_statisticsobjdef(s.oid), format('ALTER STATISTICS %I.%I OWNER TO %I', nspname, stxname, pg_get_userbyid(stxowner)),
       CASE WHEN target >= 0 THEN format('ALTER STATISTICS %I.%I SET STATISTICS %s', nspname, stxname, target) END,
       ${comment(`format('STATISTICS %I.%I', nspname, stxname)`, 'pg_statistic_ext', 's.oid')}], NULL) AS up,
     stxrelid::regclass::text AS of, array_to_string(pg_get_statisticsobjdef_expressions(s.oid), ', ') AS sql
     FROM used JOIN pg_statistic_ext AS s ON classid = 'pg_statistic_ext'::regclass AND s.oid = objid
     JOIN pg_namespace AS n ON n.oid = stxnamespace,
     LATERAL (SELECT (to_jsonb(s) ->> 'stxstattarget')::integer AS target) AS t ORDER BY 1`,
  `SELECT CASE relkind WHEN 'm' THEN 'materialized ' ELSE '' END || 'view ' || name AS what,
     ARRAY['DROP ' || kind || ' ' || name] AS down,
     array_remove(ARRAY[
       'CREATE ' || kind || ' ' || name || coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '')
         || coalesce(' TABLESPACE ' || quote_ident(spcname), '') || ' AS ' || rtrim(pg_get_viewdef(c.oid), ';')
         || CASE relkind WHEN 'm' THEN ' WITH NO DATA' ELSE '' END,
       format('ALTER %s %s OWNER TO %I', kind, name, pg_get_userbyid(relowner)),
       'REVOKE ALL ON ' || name || ' FROM ' || nullif(concat_ws(', ',
         CASE WHEN relacl IS NOT NULL THEN 'PUBLIC, ' || quote_ident(pg_get_userbyid(relowner)) END,
         (SELECT string_agg(DISTINCT ${GRANTEE('e.grantee')}, ', ')
            FROM pg_default_acl, aclexplode(defaclacl) AS e WHERE defaclobjtype = 'r')), '')]
       || ARRAY(${GRANTS('relacl', `''`, 'name')})
       || ARRAY(SELECT one FROM pg_attribute AS a, LATERAL (${GRANTS('attacl', `format(' (%I)', attname)`, 'name')}) AS g (one)
            WHERE attrelid = c.oid AND attacl IS NOT NULL ORDER BY attnum)
       || ARRAY(SELECT format('ALTER VIEW %s ALTER COLUMN %I SET DEFAULT %s', name, attname, pg_get_expr(adbin, adrelid))
            FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = c.oid ORDER BY adnum)
       || ${comment("kind || ' ' || name", 'pg_class', 'c.oid')}
       || ARRAY(SELECT format('COMMENT ON COLUMN %s.%I IS %L', name, attname, description) FROM pg_description
            JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid
           WHERE classoid = 'pg_class'::regclass AND objoid = c.oid ORDER BY attnum)
       || ARRAY(SELECT one FROM pg_attribute AS a, LATERAL unnest(${columnSettings('name', 'attname')}) AS t (one)
            WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum)
       || ARRAY(SELECT one FROM pg_index AS x JOIN pg_class AS i ON i.oid = indexrelid,
            LATERAL unnest(${INDEX_DEFINITION} || ${indexExtras('name')}) WITH ORDINALITY AS t (one, place)
            WHERE indrelid = c.oid ORDER BY i.relname, place)
       || ARRAY(SELECT pg_get_ruledef(oid) FROM pg_rewrite WHERE ev_class = c.oid AND rulename <> '_RETURN' ORDER BY 1)
       || ARRAY(SELECT one FROM pg_trigger AS g, LATERAL unnest(ARRAY[${TRIGGER('name')}]) WITH ORDINALITY AS t (one, i)
            WHERE tgrelid = c.oid AND NOT tgisinternal ORDER BY tgname, i)
       || CASE WHEN relkind = 'm' AND relispopulated THEN 'REFRESH MATERIALIZED VIEW ' || name END, NULL) AS up,
     name AS of, pg_get_viewdef(c.oid) AS sql
     FROM views JOIN pg_class AS c USING (oid) JOIN pg_namespace AS n ON n.oid = relnamespace
     LEFT JOIN pg_tablespace AS s ON s.oid = reltablespace,
     LATERAL (SELECT format('%I.%I', nspname, relname) AS name, CASE relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END AS kind) AS named
    ORDER BY level, c.oid`,
  `SELECT DISTINCT format('trigger %s on table %s', tgname, own) AS what,
     ARRAY[format('DROP TRIGGER %I ON %s', tgname, own)] AS down, array_remove(ARRAY[${TRIGGER('own')}], NULL) AS up,
     own AS of, replace(substring(pg_get_triggerdef(g.oid) FROM ' WHEN \\((.*)\\) EXECUTE '),
       '(old.* IS DISTINCT FROM new.*)', 'true') AS sql
     FROM used JOIN replaced USING (attrelid, attnum) JOIN pg_trigger AS g ON classid = 'pg_trigger'::regclass AND g.oid = objid
    WHERE NOT tgisinternal AND tgparentid = 0 ORDER BY 1`,
  `SELECT format('policy %s on table %s', polname, of) AS what, ARRAY[format('DROP POLICY %I ON %s', polname, of)] AS down,
     array_remove(ARRAY[format('CREATE POLICY %I ON %s AS %s FOR %s TO %s', polname, of,
       CASE WHEN polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
       CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
       (SELECT string_agg(${GRANTEE('role')}, ', ') FROM unnest(polroles) AS role))
       || coalesce(' USING (' || pg_get_expr(polqual, polrelid) || ')', '')
       || coalesce(' WITH CHECK (' || pg_get_expr(polwithcheck, polrelid) || ')', ''),
       ${comment(`format('POLICY %I ON %s', polname, of)`, 'pg_policy', 'p.oid')}], NULL) AS up,
     of, concat_ws(', ', pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) AS sql
     FROM (SELECT DISTINCT objid FROM used WHERE classid = 'pg_policy'::regclass) AS u JOIN pg_policy AS p ON p.oid = u.objid,
     LATERAL (SELECT format('%I.%I', nspname, relname) AS of FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
               WHERE c.oid = polrelid) AS named ORDER BY 1`,
  // Parsed bodies: the same text then means the new columns.
  `SELECT DISTINCT 'function ' || p.oid::regprocedure AS what, NULL::text[] AS down, ARRAY[pg_get_functiondef(p.oid)] AS up,
     NULL AS of, pg_get_function_sqlbody(p.oid) AS sql
     FROM used JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND p.oid = objid AND prokind IN ('f', 'p') ORDER BY 1`,
]

interface Row extends Pick<Partial<Code>, 'sql'> {
  readonly what: string
  readonly down: string[] | null
  readonly up: string[] | null
  readonly of?: string | null
}

export function* readRecreated(
  session: Session,
  columns: readonly ReplacedColumn[],
): Work<{ recreated: Recreated[]; code: Code[] }> {
  const rows: Row[] = []
  for (const query of RECREATED) rows.push(...(yield* queryReplaced<Row>(session, columns, query)))
  return {
    recreated: rows
      .map(({ what, down, up }) => ({ what, isIndex: false, takeDown: down ?? [], putBack: up ?? [] }))
      .filter(({ takeDown, putBack }) => takeDown.length + putBack.length > 0),
    code: rows.flatMap(({ what: name, of, sql }) => (sql ? [{ name, of: lastOf(of ?? ''), sql }] : [])),
  }
}
