import type { ReplacedColumn } from '../adoption.js'
import type { Session } from '../driver.js'
import { newName } from '../plan.js'
import type { Work } from '../work.js'

/** Runs a query that reads `given`, `replaced`, `used` and `views`. */
export const queryReplaced = <Row>(
  session: Session,
  columns: readonly ReplacedColumn[],
  query: string,
): Work<Row[]> =>
  session.query<Row>(`${REPLACED} ${query}`, [
    columns.map(({ table }) => table),
    columns.map(({ column }) => column),
    columns.map(({ column }) => newName(column)),
    columns.map(({ isRoot }) => isRoot),
  ])

/**
 * The replaced columns, also of partitions; the objects that depend on them, or use whole rows, for which the catalog has
 * no columns; and views, each after those that it reads.
 */
const REPLACED = `WITH RECURSIVE given AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[])
      WITH ORDINALITY AS k ("table", "column", new_name, is_root, i)
  ), tree AS (
    SELECT DISTINCT "table", "table"::regclass::oid AS relation FROM given
    UNION ALL SELECT tree.table, inhrelid FROM tree JOIN pg_inherits ON inhparent = relation
  ), replaced AS (
    SELECT given.*, a.attrelid, a.attnum, format('%I.%I', n.nspname, r.relname) AS own
      FROM given JOIN tree USING ("table") JOIN pg_attribute AS a ON attrelid = relation AND attname = "column"
      JOIN pg_class AS r ON r.oid = relation JOIN pg_namespace AS n ON n.oid = r.relnamespace
  ), of_rows (classid, objid) AS (
    SELECT 'pg_rewrite'::regclass::oid, oid FROM pg_rewrite WHERE ev_action::text LIKE '%:varattno 0 %'
    UNION ALL SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE prosqlbody::text LIKE '%:varattno 0 %'
    UNION ALL SELECT 'pg_constraint'::regclass, oid FROM pg_constraint WHERE conbin::text LIKE '%:varattno 0 %'
    UNION ALL SELECT 'pg_trigger'::regclass, oid FROM pg_trigger WHERE tgqual::text LIKE '%:varattno 0 %'
    UNION ALL SELECT 'pg_policy'::regclass, oid FROM pg_policy WHERE concat(polqual, polwithcheck) LIKE '%:varattno 0 %'
  ), used AS (
    SELECT d.classid, d.objid, d.objsubid, d.deptype, 'it' AS of, k.table, k.column, k.attrelid, k.attnum
      FROM replaced AS k JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = k.attrelid
       AND (d.refobjsubid = k.attnum OR (d.classid, d.objid) IN (SELECT * FROM of_rows))
  ), levels AS (
    SELECT ev_class AS oid, 1 AS level, used.table, used.column FROM used
      JOIN pg_rewrite AS r ON classid = 'pg_rewrite'::regclass AND r.oid = objid
      JOIN pg_class AS c ON c.oid = ev_class AND relkind IN ('v', 'm')
    UNION SELECT ev_class, level + 1, levels.table, levels.column FROM levels
      JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = levels.oid AND classid = 'pg_rewrite'::regclass
      JOIN pg_rewrite AS r ON r.oid = objid AND ev_class <> levels.oid
      JOIN pg_class AS c ON c.oid = ev_class AND relkind IN ('v', 'm')
  ), views AS (
    SELECT oid, max(level) AS level, min("table") AS table, min("column") AS column FROM levels GROUP BY oid
  )`
