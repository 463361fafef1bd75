import type { ReplacedColumn } from '../adoption.js'
import type { Session } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { legacyName, newName, shownName } from '../plan.js'
import type { Work } from '../work.js'
import { queryReplaced } from './replaced.js'

/** What the switch can't carry over: the table, perhaps its column, and the reason. Triggers are checked by their code. */
const OBSTACLES = [
  // Rows hidden by row security would silently get no ids.
  `SELECT own AS "table", NULL AS "column", 'row security hides rows of it from this role; connect as a role with BYPASSRLS' AS reason
     FROM (SELECT DISTINCT own, attrelid FROM replaced) AS k WHERE row_security_active(attrelid)`,
  `SELECT own AS "table", NULL AS "column",
          format('the table inherits from another or is inherited from (%s); undo that with ALTER TABLE ... NO INHERIT, or keep its keys', other) AS reason
     FROM (SELECT DISTINCT own, attrelid FROM replaced) AS k
     JOIN pg_class AS r ON r.oid = attrelid,
     LATERAL (SELECT CASE WHEN inhparent = attrelid THEN inhrelid ELSE inhparent END::regclass AS other
                FROM pg_inherits WHERE attrelid IN (inhrelid, inhparent) LIMIT 1) AS i
    WHERE relkind = 'r' AND NOT relispartition`,
  `SELECT own AS "table", NULL AS "column",
          format('the table is made of type %s, and takes no new columns; ALTER TABLE ... NOT OF first', reloftype::regtype) AS reason
     FROM (SELECT DISTINCT own, attrelid FROM replaced) AS k JOIN pg_class AS r ON r.oid = attrelid WHERE reloftype <> 0`,
  `SELECT DISTINCT own AS "table", NULL AS "column",
          format('publication %s publishes updates of the table, which has no replica identity, so the server refuses them; '
            'ALTER TABLE ... REPLICA IDENTITY, or drop the table from the publication', quote_ident(p.pubname)) AS reason
     FROM replaced AS k JOIN pg_class AS r ON r.oid = attrelid JOIN pg_namespace AS n ON n.oid = relnamespace
     JOIN pg_publication_tables AS t ON (t.schemaname, t.tablename) = (nspname, relname)
     JOIN pg_publication AS p ON p.pubname = t.pubname AND p.pubupdate
    WHERE relreplident = 'n' OR (relreplident = 'd' AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = r.oid AND indisprimary))
       OR (relreplident = 'i' AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = r.oid AND indisreplident))`,
  // A row stored as a value would lose its key.
  `, rows AS (
      SELECT own, reltype AS type FROM (SELECT DISTINCT own, attrelid FROM replaced) AS k JOIN pg_class AS r ON r.oid = attrelid
      UNION SELECT own, t.oid FROM rows JOIN pg_type AS t ON type <> 0 AND type IN (typelem, typbasetype)
    )
    SELECT own AS "table", NULL AS "column", format('column %s of %s contains rows of it, which would lose their keys; '
           'drop that column, or store the keys in its place', quote_ident(attname), r.oid::regclass) AS reason
      FROM rows JOIN pg_attribute ON atttypid = type AND NOT attisdropped
      JOIN pg_class AS r ON r.oid = attrelid AND relkind IN ('r', 'p', 'f', 'c')`,
  `SELECT own AS "table", "column", reason
     FROM replaced AS k JOIN pg_attribute AS a USING (attrelid, attnum)
     JOIN pg_type AS t ON t.oid = atttypid
     CROSS JOIN LATERAL (VALUES
       (attgenerated <> '', 'the column is generated; drop it, and create it again after the switch'),
       (typnotnull, format('its domain %s takes no null, which new rows have for an old key after the switch; '
         'ALTER DOMAIN ... DROP NOT NULL, and set it on the columns', format_type(atttypid, atttypmod))),
       (atthasdef AND NOT is_root AND attgenerated = '',
         'the column has a default, which is an old key; drop it, and set another after the switch'),
       (octet_length(new_name) > 63, format('%s is too long for a name; rename the column', new_name)),
       (EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = attrelid AND k.attnum = ANY (partattrs)),
         'the table is partitioned by it; copy its rows to a table that is partitioned otherwise')
     ) AS obstacle (is_there, reason)
    WHERE is_there AND attinhcount = 0`,
  // Anything that uses the old column or its sequence would continue to use it after the switch, and be dropped with it.
  `SELECT own AS "table", d.column, format('%s depends on %s and would keep the old values; drop it, and create it '
          'again after the switch', pg_describe_object(d.classid, d.objid, d.objsubid), of) AS reason
     FROM (SELECT classid, objid, objsubid, of, attrelid, attnum, "column" FROM used
           UNION ALL
           SELECT d.classid, d.objid, d.objsubid, 'its identity', u.attrelid, u.attnum, u.column
             FROM used AS u JOIN pg_class AS s ON u.classid = 'pg_class'::regclass AND s.oid = u.objid AND s.relkind = 'S' AND u.deptype = 'i'
             JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid) AS d
     JOIN replaced AS k USING (attrelid, attnum)
     LEFT JOIN pg_constraint AS c ON d.classid = 'pg_constraint'::regclass AND c.oid = d.objid
     LEFT JOIN pg_class AS r ON d.classid = 'pg_class'::regclass AND r.oid = d.objid AND d.objsubid = 0
     LEFT JOIN pg_attrdef AS v ON d.classid = 'pg_attrdef'::regclass AND v.oid = d.objid
     LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
     LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
    WHERE coalesce(c.contype NOT IN ('p', 'u', 'f', 'n', 'c', 'x', 't') OR c.contypid <> 0, true) AND coalesce(r.relkind NOT IN ('i', 'I', 'S'), true)
      AND coalesce(p.prokind NOT IN ('f', 'p'), true) AND coalesce(w.ev_class NOT IN (SELECT oid FROM views), true)
      AND d.classid NOT IN ('pg_policy'::regclass, 'pg_trigger'::regclass, 'pg_statistic_ext'::regclass)
      AND NOT coalesce(v.adrelid = d.attrelid AND v.adnum = d.attnum, false)`,
  `SELECT views.table, views.column, format('%s depends on %s, which the switch creates again; drop it, and create it '
          'again after the switch', pg_describe_object(d.classid, d.objid, d.objsubid), views.oid::regclass) AS reason
     FROM views JOIN pg_class AS c ON c.oid = views.oid
     JOIN pg_depend AS d ON (d.refclassid, d.refobjid) IN (('pg_class'::regclass, c.oid), ('pg_type'::regclass, c.reltype))
     LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
    WHERE deptype IN ('n', 'a') AND d.classid NOT IN ('pg_trigger'::regclass, 'pg_attrdef'::regclass)
      AND coalesce(w.ev_class NOT IN (SELECT oid FROM views), true)
      AND NOT (d.classid = 'pg_class'::regclass AND EXISTS (SELECT FROM pg_index WHERE indexrelid = d.objid))`,
  `SELECT DISTINCT own AS "table", NULL AS "column",
          format('rule %s would fire for every row that the backfill updates; disable it, and enable it after the switch', rulename) AS reason
     FROM replaced JOIN pg_rewrite ON ev_class = attrelid WHERE ev_enabled <> 'D'`,
]

/** Notes what the switch can't carry over to the new columns. */
export function* noteObstacles(
  session: Session,
  columns: readonly ReplacedColumn[],
  obstacles: Obstacles,
): Work<void> {
  for (const query of OBSTACLES) {
    const rows = yield* queryReplaced<{ table: string; column: string | null; reason: string }>(
      session,
      columns,
      `${query} ORDER BY 1, 2, 3`,
    )
    for (const { table, column, reason } of rows)
      obstacles.note(shownName(table) + (column === null ? '' : `.${column}`), reason)
  }
}

/** Notes the rights that the steps need, and the role lacks. */
export function* noteRights(session: Session, tables: readonly string[], obstacles: Obstacles): Work<void> {
  const missing = yield* session.query<{ place: string; right: string }>(
    `SELECT 'database ' || current_database() AS place, format('GRANT CREATE ON DATABASE %I TO %I', current_database(), current_user) AS right
      WHERE NOT has_database_privilege(current_database(), 'CREATE') AND to_regnamespace('snoflax_adoption') IS NULL
     UNION ALL SELECT t, format('GRANT %I TO %I', pg_get_userbyid(relowner), current_user)
       FROM unnest($1::text[]) AS t JOIN pg_class ON pg_class.oid = t::regclass WHERE NOT pg_has_role(relowner, 'USAGE')`,
    [tables],
  )
  for (const { place, right } of missing)
    obstacles.noteRight(shownName(place), `this role lacks a right that the steps need; ${right}`)
}

/** Publications and subscriptions of the tables: the server replicates rows, but no columns. */
export function* readWarnings(session: Session, columns: readonly ReplacedColumn[]): Work<string[]> {
  const publications = yield* queryReplaced<{ publication: string; tables: string }>(
    session,
    columns,
    `SELECT p.pubname AS publication, string_agg(DISTINCT own, ', ' ORDER BY own) AS tables
       FROM replaced JOIN pg_class AS r ON r.oid = attrelid JOIN pg_namespace AS n ON n.oid = relnamespace
       JOIN pg_publication_tables AS t ON (t.schemaname, t.tablename) = (nspname, relname)
       JOIN pg_publication AS p ON p.pubname = t.pubname AND (p.pubinsert OR p.pubupdate)
      GROUP BY p.pubname ORDER BY 1`,
  )
  const subscriptions = yield* queryReplaced<{ subscription: string; tables: string }>(
    session,
    columns,
    `SELECT s.subname AS subscription, string_agg(DISTINCT own, ', ' ORDER BY own) AS tables
       FROM replaced JOIN pg_subscription_rel ON srrelid = attrelid JOIN pg_subscription AS s ON s.oid = srsubid
      GROUP BY s.subname ORDER BY 1`,
  )
  return [
    ...publications.map(
      ({ publication, tables }) =>
        `publication ${publication} publishes ${tables}, and its subscribers stop at the first row with a column that they lack; ` +
        'add the snoflax_new_... columns there before the backfill, or drop the tables from the publication and copy them again after finish',
    ),
    ...subscriptions.map(
      ({ subscription, tables }) =>
        `subscription ${subscription} writes to ${tables} and, after the switch, stops at the first row, which has the publisher's old key; ` +
        'adopt on the publisher instead, or drop the subscription before the switch',
    ),
  ]
}

/** Notes what would keep old columns from being dropped. */
export function* noteLegacyUses(
  session: Session,
  columns: readonly ReplacedColumn[],
  obstacles: Obstacles,
): Work<void> {
  const legacy = columns.map((one) => ({ ...one, column: legacyName(one.column) }))
  const rows = yield* queryReplaced<{ path: string; user: string }>(
    session,
    legacy,
    `SELECT DISTINCT format('%s.%s', own, "column") AS path, pg_describe_object(d.classid, d.objid, d.objsubid) AS user
       FROM (SELECT classid, objid, objsubid, deptype, attrelid, attnum FROM used
             UNION ALL SELECT d.classid, d.objid, d.objsubid, d.deptype, u.attrelid, u.attnum
               FROM used AS u JOIN pg_depend AS d ON u.classid = 'pg_class'::regclass
                AND d.refclassid = u.classid AND d.refobjid = u.objid AND u.deptype IN ('a', 'i')
             ) AS d JOIN replaced USING (attrelid, attnum) WHERE d.deptype = 'n' ORDER BY 1, 2`,
  )
  for (const { path, user } of rows)
    obstacles.note(shownName(path), `${user} uses it; change or drop that first`)
}

/** The names that an index has until the switch, and after it. */
interface IndexNames {
  readonly schema: string
  readonly temporary: string
  readonly name: string
  readonly replaces: boolean
}

/** Notes objects whose names the backfill or the switch needs. */
export function* noteLeftovers(
  session: Session,
  columns: readonly ReplacedColumn[],
  indexes: readonly IndexNames[],
  obstacles: Obstacles,
): Work<void> {
  const names = indexes.flatMap(({ schema, temporary, name, replaces }) =>
    (replaces ? [temporary] : [temporary, name]).map((one) => ({ schema, name: one })),
  )
  const there = yield* session.query<{ place: string; what: string }>(
    `SELECT "table" AS place, 'a column ' || name AS what FROM unnest($1::text[], $2::text[]) AS k ("table", name)
       JOIN pg_attribute ON attrelid = "table"::regclass AND attname = name AND NOT attisdropped
     UNION SELECT schema, 'a relation ' || name FROM unnest($3::text[], $4::text[]) AS k (schema, name)
       JOIN pg_class ON relnamespace = schema::regnamespace AND relname = name ORDER BY 1, 2`,
    [
      columns.map(({ table }) => table),
      columns.map(({ column }) => newName(column)),
      names.map(({ schema }) => schema),
      names.map(({ name }) => name),
    ],
  )
  for (const { place, what } of there)
    obstacles.note(shownName(place), `the adoption needs the name of ${what}; rename or drop it`)
}
