import type { ReplacedColumn } from '../adoption.js'
import type { Column, Session, Work } from '../driver.js'
import { type ForeignKey, type Key, newName, onlyColumn, shownName } from '../plan.js'
import { refuse } from '../refusal.js'

export interface PostgresForeignKey extends ForeignKey {
  readonly name: string
  readonly definition: string
  readonly validated: boolean
}

export interface Index {
  readonly name: string
  readonly schema: string
  readonly table: string
  readonly definition: string
  readonly method: string
  /** The columns of the key and of INCLUDE, in order; null for an expression. */
  readonly columns: readonly (string | null)[]
  /** Texts of expressions and predicate. */
  readonly expressions: string
  readonly constraint: { readonly name: string; readonly kind: 'p' | 'u'; readonly definition: string } | null
}

/** With nothing on the search path but the catalog, what the server writes names its schemas. */
export function* inCatalog<Result>(session: Session, work: () => Work<Result>): Work<Result> {
  const [before] = yield* session.query<{ path: string }>("SELECT current_setting('search_path') AS path")
  yield* session.run(['SET LOCAL search_path TO pg_catalog'])
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
export function* resolveTable(session: Session, given: string): Work<string> {
  const [found] = yield* session.query<{ table: string; kind: string; inherits: boolean }>(
    `SELECT ${NAME_OF('r', 'n')} AS table, r.relkind AS kind,
            EXISTS (SELECT FROM pg_inherits WHERE r.oid IN (inhrelid, inhparent)) AS inherits
       FROM pg_class AS r JOIN pg_namespace AS n ON n.oid = r.relnamespace WHERE r.oid = to_regclass($1)`,
    [given],
  )
  if (found === undefined) return refuse(given, 'no such table; quote a name with capitals, as in SQL')
  if (found.kind !== 'r' || found.inherits) {
    return refuse(given, 'only plain tables can be adopted, not views, partitioned or inherited tables')
  }
  return found.table
}

/** The one column of the table's primary key. */
export function* readKey(session: Session, table: string): Work<Key> {
  const [found] = yield* session.query<{ columns: string[] }>(
    `SELECT ${COLUMN_NAMES('conrelid', 'conkey')} AS columns FROM pg_constraint
      WHERE contype = 'p' AND conrelid = $1::regclass`,
    [table],
  )
  return { table, column: onlyColumn(table, found?.columns ?? []) }
}

export function* readForeignKeys(session: Session): Work<PostgresForeignKey[]> {
  return yield* session.query<PostgresForeignKey>(
    `SELECT c.conname AS name, ${NAME_OF('r', 'n')} AS table, ${NAME_OF('tr', 'tn')} AS target,
            ${COLUMN_NAMES('c.conrelid', 'c.conkey')} AS columns,
            ${COLUMN_NAMES('c.confrelid', 'c.confkey')} AS "targetColumns",
            regexp_replace(pg_get_constraintdef(c.oid), ' NOT VALID$', '') AS definition, c.convalidated AS validated
       FROM pg_constraint AS c
       JOIN pg_class AS r ON r.oid = c.conrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
       JOIN pg_class AS tr ON tr.oid = c.confrelid JOIN pg_namespace AS tn ON tn.oid = tr.relnamespace
      WHERE c.contype = 'f' ORDER BY 2, 1`,
  )
}

export function* readColumns(session: Session, table: string): Work<Column[]> {
  return yield* session.query<Column>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS "notNull"
       FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  )
}

export function* readIndexes(session: Session, tables: readonly string[]): Work<Index[]> {
  return yield* session.query<Index>(
    `SELECT i.relname AS name, quote_ident(n.nspname) AS schema, t AS table, pg_get_indexdef(x.indexrelid) AS definition,
            m.amname AS method, ${COLUMN_NAMES('x.indrelid', 'x.indkey::int2[]')} AS columns,
            concat_ws(' ', pg_get_expr(x.indexprs, x.indrelid), pg_get_expr(x.indpred, x.indrelid)) AS expressions,
            CASE WHEN c.oid IS NOT NULL THEN
              json_build_object('name', c.conname, 'kind', c.contype, 'definition', pg_get_constraintdef(c.oid))
            END AS constraint
       FROM unnest($1::text[]) AS t JOIN pg_index AS x ON x.indrelid = t::regclass
       JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_namespace AS n ON n.oid = i.relnamespace
       JOIN pg_am AS m ON m.oid = i.relam
       LEFT JOIN pg_constraint AS c ON c.conindid = x.indexrelid AND c.contype IN ('p', 'u')
      WHERE NOT starts_with(i.relname, 'snoflax_new_') ORDER BY t, i.relname`,
    [tables],
  )
}

/**
 * What the switch could not carry over to the new columns: queries of a table, perhaps its column, and the reason.
 * Each knows the columns that are replaced, and the names of triggers that are allowed.
 */
const OBSTACLES = [
  // What row security hides would be left without ids, silently.
  `SELECT "table", NULL AS "column", 'row security hides rows of it from this role; use one with BYPASSRLS' AS reason
     FROM replaced WHERE row_security_active("table") ORDER BY 1 LIMIT 1`,
  `SELECT "table", "column", reason
     FROM replaced JOIN pg_attribute ON attrelid = "table"::regclass AND attname = "column"
     JOIN pg_type AS t ON t.oid = atttypid
     CROSS JOIN LATERAL (VALUES
       (1, attgenerated <> '', 'the column is generated'),
       (2, typnotnull, format('its domain %s takes no null, which new rows have for an old key after the switch',
         format_type(atttypid, atttypmod))),
       (3, atthasdef AND NOT is_root,
         'the column has a default, which is an old key; drop it, and set another after the switch'),
       (4, attacl IS NOT NULL, 'the column has privileges of its own, which a new column would lack; '
         'revoke them and grant them again after the switch'),
       (5, octet_length(new_name) > 63, format('%s is too long for a name; rename the column', new_name))
     ) AS obstacle (number, is_there, reason)
    WHERE is_there ORDER BY i, number LIMIT 1`,
  // Whatever uses the old column, or its sequence, would go on using it after the switch, and go with it in the end.
  `SELECT d.table, d.column, format('%s depends on %s and would go on with the old values; drop it, and create it '
          'again after the switch', pg_describe_object(d.classid, d.objid, d.objsubid), of) AS reason
     FROM (SELECT * FROM used UNION ALL
           SELECT d.classid, d.objid, d.objsubid, 'its sequence', u.table, u.column, u.attrelid, u.attnum
             FROM used AS u JOIN pg_class AS s ON u.classid = 'pg_class'::regclass AND s.oid = u.objid AND s.relkind = 'S'
             JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid) AS d
     LEFT JOIN pg_constraint AS c ON d.classid = 'pg_constraint'::regclass AND c.oid = d.objid
     LEFT JOIN pg_class AS r ON d.classid = 'pg_class'::regclass AND r.oid = d.objid AND d.objsubid = 0
     LEFT JOIN pg_attrdef AS v ON d.classid = 'pg_attrdef'::regclass AND v.oid = d.objid
    WHERE coalesce(c.contype NOT IN ('p', 'u', 'f', 'n'), true) AND coalesce(r.relkind NOT IN ('i', 'S'), true)
      AND NOT coalesce(v.adrelid = d.attrelid AND v.adnum = d.attnum, false)
    ORDER BY 1, 2, 3 LIMIT 1`,
  `SELECT "table", NULL AS "column", format('%s would fire for every row that is filled, and may know the old key; '
          'disable it%s', name, way) AS reason
     FROM (SELECT "table", 'trigger ' || tgname AS name,
                  ', or list it in allowTriggers once you have read it' AS way
             FROM replaced JOIN pg_trigger ON tgrelid = "table"::regclass
            WHERE NOT tgisinternal AND tgenabled <> 'D' AND tgname <> ALL ($5::text[])
           UNION ALL SELECT "table", 'rule ' || rulename, ''
             FROM replaced JOIN pg_rewrite ON ev_class = "table"::regclass WHERE ev_enabled <> 'D') AS fired
    ORDER BY 1, name LIMIT 1`,
]

const REPLACED = `WITH replaced AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[])
      WITH ORDINALITY AS k ("table", "column", new_name, is_root, i) WHERE $5::text[] IS NOT NULL
  ), used AS (
    SELECT d.classid, d.objid, d.objsubid, 'it' AS of, k.table, k.column, a.attrelid, a.attnum
      FROM replaced AS k JOIN pg_attribute AS a ON a.attrelid = k.table::regclass AND a.attname = k.column
      JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
  )`

/** @throws {IdError} for what the switch could not carry over to the new columns. */
export function* refuseObstacles(
  session: Session,
  columns: readonly ReplacedColumn[],
  allowTriggers: readonly string[],
): Work<void> {
  const replaced = columns.map(({ table, column, isRoot }) => [table, column, newName(column), isRoot])
  const values = [0, 1, 2, 3].map((i) => replaced.map((one) => one[i]))
  for (const obstacle of OBSTACLES) {
    const [found] = yield* session.query<{ table: string; column: string | null; reason: string }>(
      `${REPLACED} ${obstacle}`,
      [...values, allowTriggers],
    )
    if (found)
      refuse(shownName(found.table) + (found.column === null ? '' : `.${found.column}`), found.reason)
  }
}
