import type { Column, Session, StoredColumn } from '../driver.js'
import { refuse } from '../obstacles.js'
import { type ForeignKey, type Key, onlyColumn } from '../plan.js'
import { kindOf } from '../references.js'
import type { Work } from '../work.js'

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

/** The statement that sets an object's comment, or null. */
export const comment = (head: string, of: string, oid: string): string =>
  `(SELECT format('COMMENT ON %s IS %L', ${head}, description) FROM pg_description
     WHERE classoid = '${of}'::regclass AND objoid = ${oid} AND objsubid = 0)`

/** The statements for the index `i` and its `pg_index` row `x`. */
export const INDEX_DEFINITION = `(SELECT left(whole, length(whole) - length(part)) || coalesce(' TABLESPACE ' || quote_ident(spcname), '') || part
    FROM (SELECT pg_get_indexdef(i.oid) AS whole, coalesce(' WHERE ' || pg_get_expr(x.indpred, x.indrelid), '') AS part) AS written
    LEFT JOIN pg_tablespace AS s ON s.oid = i.reltablespace)`

/** The statements for other properties of an index, in the schema `n`. */
export const indexExtras = (table: string): string => `array_remove(ARRAY[
    ${comment("format('INDEX %I.%I', n.nspname, i.relname)", 'pg_class', 'i.oid')},
    (SELECT ${comment(`format('CONSTRAINT %I ON %s', k.conname, ${table})`, 'pg_constraint', 'k.oid')} FROM pg_constraint AS k
      WHERE k.conindid = i.oid AND k.contype IN ('p', 'u')),
    CASE WHEN x.indisclustered THEN format('ALTER TABLE %s CLUSTER ON %I', ${table}, i.relname) END,
    CASE WHEN x.indisreplident THEN format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', ${table}, i.relname) END
  ], NULL)`

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

/** Without system and our own schemas, and partitions. */
export const OURS = `n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'snoflax', 'snoflax_adoption')`

/** The type of a column; of domains, also in arrays, the one that they are over. */
const BASE_TYPE = `WITH RECURSIVE types (type, mod, level) AS (
    SELECT atttypid, atttypmod, 0
    UNION ALL SELECT coalesce(nullif(t.typbasetype, 0), base.typarray), t.typtypmod, level + 1
      FROM types JOIN pg_type AS t ON t.oid = type
      LEFT JOIN pg_type AS e ON t.typcategory = 'A' AND e.oid = t.typelem LEFT JOIN pg_type AS base ON base.oid = e.typbasetype
     WHERE 'd' IN (t.typtype, e.typtype)
  ) SELECT format_type(type, mod) FROM types ORDER BY level DESC LIMIT 1`

export function* readAllColumns(session: Session): Work<StoredColumn[]> {
  const columns = yield* inCatalog(session, () =>
    session.query<Omit<StoredColumn, 'kind' | 'isElsewhere'>>(
      `SELECT ${NAME_OF('r', 'n')} AS table, attname AS column, (${BASE_TYPE}) AS type,
              coalesce(attnum = ANY (conkey), false) AS "isInKey", coalesce(conkey = ARRAY[attnum], false) AS "isKey",
              r.relkind NOT IN ('v', 'm') AND NOT r.relispartition AS "hasRows",
              CASE WHEN NOT has_schema_privilege(n.oid, 'USAGE') THEN format('GRANT USAGE ON SCHEMA %I TO %I', n.nspname, current_user)
                WHEN NOT has_column_privilege(r.oid, attnum, 'SELECT') THEN format('GRANT SELECT ON %I.%I TO %I', n.nspname, r.relname, current_user)
                WHEN row_security_active(r.oid) THEN 'row security hides rows from this role; connect as a role with BYPASSRLS' END AS hidden
         FROM pg_attribute JOIN pg_class AS r ON r.oid = attrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
         LEFT JOIN pg_constraint AS k ON k.conrelid = r.oid AND k.contype = 'p'
        WHERE attnum > 0 AND NOT attisdropped AND r.relkind IN ('r', 'p', 'f', 'v', 'm') AND ${OURS}
          AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = r.oid AND deptype = 'e')
        ORDER BY 1, attnum`,
    ),
  )
  return columns.map((one) => ({ ...one, kind: kindOf(one.type), isElsewhere: false }))
}

interface Member {
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
            concat_ws(', ', pg_get_expr(x.indexprs, x.indrelid), pg_get_expr(x.indpred, x.indrelid)) AS expressions,
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
