import type { ReplacedColumn } from '../adoption.js'
import type { Column, Session } from '../driver.js'
import { type Obstacles, refuse } from '../obstacles.js'
import { type ForeignKey, type Key, legacyName, newName, onlyColumn, shownName } from '../plan.js'
import type { Work } from '../work.js'
import { comment, INDEX_DEFINITION, indexExtras, REPLACED, replacedValues } from './carried.js'

export interface PostgresForeignKey extends ForeignKey {
  /** Its own table, which may be a partition of `table`. */
  readonly owner: string
  readonly isPartitioned: boolean
  readonly name: string
  readonly definition: string
  readonly validated: boolean
  /** The statement that sets its comment, or null. */
  readonly comment: string | null
}

export interface Index {
  readonly name: string
  readonly schema: string
  readonly owner: string
  readonly table: string
  readonly isPartitioned: boolean
  readonly definition: string
  readonly method: string
  /** The columns of the key and of INCLUDE, in order; null for an expression. */
  readonly columns: readonly (string | null)[]
  /** Texts of expressions and predicate. */
  readonly expressions: string
  /** Statements for other properties of an index: comments, and its role in CLUSTER and replication. */
  readonly extras: readonly string[]
  readonly constraint: { readonly name: string; readonly kind: 'p' | 'u'; readonly definition: string } | null
}

/** Definitions omit only this schema. */
export const IN_CATALOG = 'SET LOCAL search_path TO pg_catalog'

/** With only the catalog on the search path, the server writes names with their schemas. */
export function* inCatalog<Result>(session: Session, work: () => Work<Result>): Work<Result> {
  const [before] = yield* session.query<{ path: string }>("SELECT current_setting('search_path') AS path")
  yield* session.run([IN_CATALOG])
  const result = yield* work()
  yield* session.query("SELECT set_config('search_path', $1, true)", [before?.path])
  return result
}

const NAME_OF = (relation: string, schema: string) =>
  `format('%I.%I', ${schema}.nspname, ${relation}.relname)`

/** The names of a table's columns, in the order of an array of their numbers. */
const COLUMN_NAMES = (table: string, numbers: string) => `(SELECT json_agg(a.attname ORDER BY k.i)
  FROM unnest(${numbers}) WITH ORDINALITY AS k (number, i)
  LEFT JOIN pg_attribute AS a ON a.attrelid = ${table} AND a.attnum = k.number AND k.number > 0)`

/** The table's name with its schema, as SQL. */
function* resolveTable(session: Session, given: string): Work<string> {
  const [found] = yield* session.query<{ table: string; kind: string; isPartition: boolean }>(
    `SELECT ${NAME_OF('r', 'n')} AS table, r.relkind AS kind, r.relispartition AS "isPartition"
       FROM pg_class AS r JOIN pg_namespace AS n ON n.oid = r.relnamespace WHERE r.oid = to_regclass($1)`,
    [given],
  )
  if (found === undefined) return refuse(given, 'no such table; quote a name with capitals, as in SQL')
  if (found.kind === 'p' || found.isPartition)
    refuse(
      given,
      'the key of a partitioned table cannot be replaced; list only the tables that it references, or copy its rows to a new table',
    )
  if (found.kind !== 'r') refuse(given, 'it is not a table; name the table that contains the rows')
  return found.table
}

export function* readKey(session: Session, given: string): Work<Key> {
  const table = yield* resolveTable(session, given)
  const [found] = yield* session.query<{ columns: string[] }>(
    `SELECT ${COLUMN_NAMES('conrelid', 'conkey')} AS columns FROM pg_constraint
      WHERE contype = 'p' AND conrelid = $1::regclass`,
    [table],
  )
  return { table, column: onlyColumn(table, found?.columns ?? []) }
}

export function* readForeignKeys(session: Session): Work<PostgresForeignKey[]> {
  return yield* session.query<PostgresForeignKey>(
    `SELECT c.conname AS name, ${NAME_OF('top', 'topn')} AS table, ${NAME_OF('r', 'n')} AS owner,
            r.relkind = 'p' AS "isPartitioned", ${NAME_OF('tr', 'tn')} AS target,
            ${COLUMN_NAMES('c.conrelid', 'c.conkey')} AS columns,
            ${COLUMN_NAMES('c.confrelid', 'c.confkey')} AS "targetColumns",
            regexp_replace(pg_get_constraintdef(c.oid), ' NOT VALID$', '') AS definition, c.convalidated AS validated,
            ${comment("format('CONSTRAINT %I ON %I.%I', c.conname, n.nspname, r.relname)", 'pg_constraint', 'c.oid')} AS comment
       FROM pg_constraint AS c
       JOIN pg_class AS r ON r.oid = c.conrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
       JOIN pg_class AS top ON top.oid = coalesce(pg_partition_root(r.oid), r.oid)
       JOIN pg_namespace AS topn ON topn.oid = top.relnamespace
       JOIN pg_class AS tr ON tr.oid = c.confrelid JOIN pg_namespace AS tn ON tn.oid = tr.relnamespace
      WHERE c.contype = 'f' AND c.conparentid = 0 ORDER BY 2, 3, 1`,
  )
}

export function readColumns(session: Session, table: string): Work<Column[]> {
  return inCatalog(session, () =>
    session.query<Column>(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS "notNull"
         FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [table],
    ),
  )
}

export interface Member {
  readonly table: string
  readonly own: string
  readonly schema: string
  readonly isLeaf: boolean
}

export function* readMembers(session: Session, tables: readonly string[]): Work<Member[]> {
  return yield* session.query<Member>(
    `SELECT t AS table, ${NAME_OF('r', 'n')} AS own, quote_ident(n.nspname) AS schema, r.relkind <> 'p' AS "isLeaf"
       FROM unnest($1::text[]) AS t
       JOIN LATERAL (SELECT t::regclass AS relation UNION SELECT relid FROM pg_partition_tree(t::regclass)) AS tree ON true
       JOIN pg_class AS r ON r.oid = relation JOIN pg_namespace AS n ON n.oid = r.relnamespace ORDER BY 1, 2`,
    [tables],
  )
}

/** The indexes of the tables and their partitions, without those that belong to an index of the parent. */
export function* readIndexes(session: Session, tables: readonly string[]): Work<Index[]> {
  return yield* session.query<Index>(
    `SELECT i.relname AS name, quote_ident(n.nspname) AS schema, t AS table, owner, i.relkind = 'I' AS "isPartitioned",
            ${INDEX_DEFINITION} AS definition,
            m.amname AS method, ${COLUMN_NAMES('x.indrelid', 'x.indkey::int2[]')} AS columns,
            concat_ws(' ', pg_get_expr(x.indexprs, x.indrelid), pg_get_expr(x.indpred, x.indrelid)) AS expressions,
            CASE WHEN c.oid IS NOT NULL THEN
              json_build_object('name', c.conname, 'kind', c.contype, 'definition',
                regexp_replace(pg_get_constraintdef(c.oid), '( DEFERRABLE.*)?$', coalesce(' USING INDEX TABLESPACE ' || space, '') || '\\1'))
            END AS constraint,
            ${indexExtras('owner')} AS extras
       FROM unnest($1::text[]) AS t
       JOIN LATERAL (SELECT t::regclass AS relation UNION SELECT relid FROM pg_partition_tree(t::regclass)) AS tree ON true
       JOIN pg_class AS r ON r.oid = relation JOIN pg_namespace AS rn ON rn.oid = r.relnamespace
       CROSS JOIN LATERAL (SELECT ${NAME_OF('r', 'rn')} AS owner) AS named
       JOIN pg_index AS x ON x.indrelid = relation
       JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_namespace AS n ON n.oid = i.relnamespace
       JOIN pg_am AS m ON m.oid = i.relam
       LEFT JOIN LATERAL (SELECT quote_ident(spcname) AS space FROM pg_tablespace AS s WHERE s.oid = i.reltablespace) AS placed ON true
       LEFT JOIN pg_constraint AS c ON c.conindid = x.indexrelid AND c.contype IN ('p', 'u')
      WHERE NOT starts_with(i.relname, 'snoflax_new_') AND NOT x.indisexclusion
        AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = i.oid) ORDER BY t, owner, i.relname`,
    [tables],
  )
}

/** What the switch can't carry over: the table, perhaps its column, and the reason. Triggers are checked by their code. */
const OBSTACLES = [
  // Rows hidden by row security would silently get no ids.
  `SELECT own AS "table", NULL AS "column", 'row security hides rows of it from this role; connect as a role with BYPASSRLS' AS reason
     FROM (SELECT DISTINCT own, attrelid FROM replaced) AS k WHERE row_security_active(attrelid)`,
  `SELECT own AS "table", NULL AS "column",
          format('the table inherits from another or is inherited from (%s); undo that with ALTER TABLE … NO INHERIT, or keep its keys', other) AS reason
     FROM (SELECT DISTINCT own, attrelid FROM replaced) AS k
     JOIN pg_class AS r ON r.oid = attrelid,
     LATERAL (SELECT CASE WHEN inhparent = attrelid THEN inhrelid ELSE inhparent END::regclass AS other
                FROM pg_inherits WHERE attrelid IN (inhrelid, inhparent) LIMIT 1) AS i
    WHERE relkind = 'r' AND NOT relispartition`,
  `SELECT own AS "table", NULL AS "column",
          format('the table is made of type %s, and takes no new columns; ALTER TABLE … NOT OF first', reloftype::regtype) AS reason
     FROM (SELECT DISTINCT own, attrelid FROM replaced) AS k JOIN pg_class AS r ON r.oid = attrelid WHERE reloftype <> 0`,
  `SELECT DISTINCT own AS "table", NULL AS "column",
          format('publication %s publishes updates of the table, which has no replica identity, so the server refuses them; '
            'ALTER TABLE … REPLICA IDENTITY, or drop the table from the publication', quote_ident(p.pubname)) AS reason
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
         'ALTER DOMAIN … DROP NOT NULL, and set it on the columns', format_type(atttypid, atttypmod))),
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
    const rows = yield* session.query<{ table: string; column: string | null; reason: string }>(
      `${REPLACED} ${query} ORDER BY 1, 2, 3`,
      replacedValues(columns),
    )
    for (const { table, column, reason } of rows)
      obstacles.note(shownName(table) + (column === null ? '' : `.${column}`), reason)
  }
}

/** Publications and subscriptions of the tables: the server replicates rows, but no columns. */
export function* readWarnings(session: Session, columns: readonly ReplacedColumn[]): Work<string[]> {
  const publications = yield* session.query<{ publication: string; tables: string }>(
    `${REPLACED} SELECT p.pubname AS publication, string_agg(DISTINCT own, ', ' ORDER BY own) AS tables
       FROM replaced JOIN pg_class AS r ON r.oid = attrelid JOIN pg_namespace AS n ON n.oid = relnamespace
       JOIN pg_publication_tables AS t ON (t.schemaname, t.tablename) = (nspname, relname)
       JOIN pg_publication AS p ON p.pubname = t.pubname AND (p.pubinsert OR p.pubupdate)
      GROUP BY p.pubname ORDER BY 1`,
    replacedValues(columns),
  )
  const subscriptions = yield* session.query<{ subscription: string; tables: string }>(
    `${REPLACED} SELECT s.subname AS subscription, string_agg(DISTINCT own, ', ' ORDER BY own) AS tables
       FROM replaced JOIN pg_subscription_rel ON srrelid = attrelid JOIN pg_subscription AS s ON s.oid = srsubid
      GROUP BY s.subname ORDER BY 1`,
    replacedValues(columns),
  )
  return [
    ...publications.map(
      ({ publication, tables }) =>
        `publication ${publication} publishes ${tables}, and its subscribers stop at the first row with a column that they lack; ` +
        'add the snoflax_new_… columns there before the backfill, or drop the tables from the publication and copy them again after finish',
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
  const rows = yield* session.query<{ path: string; user: string }>(
    `${REPLACED} SELECT DISTINCT format('%s.%s', own, "column") AS path, pg_describe_object(d.classid, d.objid, d.objsubid) AS user
       FROM (SELECT classid, objid, objsubid, deptype, attrelid, attnum FROM used
             UNION ALL SELECT d.classid, d.objid, d.objsubid, d.deptype, u.attrelid, u.attnum
               FROM used AS u JOIN pg_depend AS d ON u.classid = 'pg_class'::regclass
                AND d.refclassid = u.classid AND d.refobjid = u.objid AND u.deptype IN ('a', 'i')
             ) AS d JOIN replaced USING (attrelid, attnum) WHERE d.deptype = 'n' ORDER BY 1, 2`,
    replacedValues(legacy),
  )
  for (const { path, user } of rows)
    obstacles.note(shownName(path), `${user} uses it; change or drop that first`)
}

/** Notes objects whose names the backfill or the switch needs. */
export function* noteLeftovers(
  session: Session,
  columns: readonly ReplacedColumn[],
  indexes: readonly {
    readonly schema: string
    readonly temporary: string
    readonly name: string
    readonly replaces: boolean
  }[],
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
