import type { ReplacedColumn } from '../adoption.js'
import type { Column, Session, Work } from '../driver.js'
import {
  type ForeignKey,
  type Key,
  legacyName,
  newName,
  onlyColumn,
  pathOf,
  shownName,
  tablesOf,
} from '../plan.js'
import { refuse } from '../refusal.js'

export interface PostgresForeignKey extends ForeignKey {
  readonly name: string
  readonly definition: string
  readonly validated: boolean
}

interface PostgresColumn extends Column {
  readonly generated: boolean
  readonly hasDefault: boolean
  /** By its domain, for good. */
  readonly refusesNull: boolean
  readonly hasPrivileges: boolean
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
  if (found === undefined)
    return refuse(given, 'there is no such table; a name with capitals is written in quotes, as in SQL')
  if (found.kind !== 'r' || found.inherits) {
    return refuse(given, 'only plain tables can be moved, neither partitioned nor inheriting ones nor views')
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

export function* readColumns(session: Session, table: string): Work<PostgresColumn[]> {
  return yield* session.query<PostgresColumn>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS "notNull",
            attgenerated <> '' AS generated, atthasdef AS "hasDefault",
            (SELECT typnotnull FROM pg_type WHERE oid = atttypid) AS "refusesNull", attacl IS NOT NULL AS "hasPrivileges"
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

/** Bytes that PostgreSQL keeps of a name. */
const NAME_BYTES = 63

/** @throws {IdError} for what the switch could not carry over to the new columns. */
export function* refuseObstacles(
  session: Session,
  columns: readonly ReplacedColumn[],
  allowTriggers: readonly string[],
): Work<void> {
  const tables = tablesOf(columns)
  // What row security hides would be left without ids, silently.
  const [hidden] = yield* session.query<{ table: string }>(
    'SELECT t AS table FROM unnest($1::text[]) AS t WHERE row_security_active(t) ORDER BY 1 LIMIT 1',
    [tables],
  )
  if (hidden)
    refuse(shownName(hidden.table), 'row security hides rows of it from this role; use one with BYPASSRLS')
  for (const column of columns) {
    const known = (yield* readColumns(session, column.table)).find(({ name }) => name === column.column)
    refuseColumn(column, known as PostgresColumn)
  }
  yield* refuseDependents(session, columns)
  yield* refuseTriggers(session, tables, allowTriggers)
}

function refuseColumn({ table, column, isRoot }: ReplacedColumn, known: PostgresColumn): void {
  const names = [newName(column), legacyName(column)]
  const long = names.find((name) => new TextEncoder().encode(name).length > NAME_BYTES)
  const obstacles: [isThere: boolean, reason: string][] = [
    [known.generated, 'the column is generated'],
    [
      known.refusesNull,
      `its domain ${known.type} takes no null, which new rows have for an old key after the switch`,
    ],
    [
      known.hasDefault && !isRoot,
      'the column has a default, which is an old key; drop it, and set another after the switch',
    ],
    [
      known.hasPrivileges,
      'the column has privileges of its own, which a new column would lack; revoke them and grant them again after the switch',
    ],
    [long !== undefined, `${long} is too long for a name; rename the column`],
  ]
  for (const [isThere, reason] of obstacles) if (isThere) refuse(pathOf({ table, column }), reason)
}

/** Whatever uses the old column, or its sequence, would go on using it after the switch, and go with it in the end. */
function* refuseDependents(session: Session, columns: readonly ReplacedColumn[]): Work<void> {
  const [dependent] = yield* session.query<{ what: string; of: string; table: string; column: string }>(
    `WITH used AS (
       SELECT d.classid, d.objid, d.objsubid, 'it' AS of, k.table, k.column, a.attrelid, a.attnum
         FROM unnest($1::text[], $2::text[]) AS k ("table", "column")
         JOIN pg_attribute AS a ON a.attrelid = k.table::regclass AND a.attname = k.column
         JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
     ), sequence AS (
       SELECT d.classid, d.objid, d.objsubid, 'its sequence' AS of, u.table, u.column, u.attrelid, u.attnum
         FROM used AS u JOIN pg_class AS s ON u.classid = 'pg_class'::regclass AND s.oid = u.objid AND s.relkind = 'S'
         JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid
     )
     SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS what, of, d.table, d.column
       FROM (SELECT * FROM used UNION ALL SELECT * FROM sequence) AS d
       LEFT JOIN pg_constraint AS c ON d.classid = 'pg_constraint'::regclass AND c.oid = d.objid
       LEFT JOIN pg_class AS r ON d.classid = 'pg_class'::regclass AND r.oid = d.objid AND d.objsubid = 0
       LEFT JOIN pg_attrdef AS v ON d.classid = 'pg_attrdef'::regclass AND v.oid = d.objid
      WHERE coalesce(c.contype NOT IN ('p', 'u', 'f', 'n'), true) AND coalesce(r.relkind NOT IN ('i', 'S'), true)
        AND NOT coalesce(v.adrelid = d.attrelid AND v.adnum = d.attnum, false)
      ORDER BY 3, 4, 1 LIMIT 1`,
    [columns.map(({ table }) => table), columns.map(({ column }) => column)],
  )
  if (dependent === undefined) return
  refuse(
    pathOf(dependent),
    `${dependent.what} depends on ${dependent.of} and would go on with the old values; ` +
      'drop it, and create it again after the switch',
  )
}

function* refuseTriggers(
  session: Session,
  tables: readonly string[],
  allowed: readonly string[],
): Work<void> {
  const [found] = yield* session.query<{ kind: string; name: string; table: string }>(
    `SELECT 'trigger' AS kind, tgname AS name, t AS table FROM unnest($1::text[]) AS t JOIN pg_trigger ON tgrelid = t::regclass
      WHERE NOT tgisinternal AND tgenabled <> 'D' AND tgname <> ALL ($2::text[])
     UNION ALL SELECT 'rule', rulename, t FROM unnest($1::text[]) AS t JOIN pg_rewrite ON ev_class = t::regclass
      WHERE ev_enabled <> 'D' ORDER BY 3, 2 LIMIT 1`,
    [tables, allowed],
  )
  if (found === undefined) return
  const way = found.kind === 'trigger' ? ', or name it in allowTriggers once you have looked at it' : ''
  refuse(
    shownName(found.table),
    `${found.kind} ${found.name} would fire for every row that is filled, and may know the old key; disable it${way}`,
  )
}
