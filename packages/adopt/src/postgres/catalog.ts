import { refuse } from '../refusal.js'
import { type ForeignKey, type Key, pathOf } from '../replaced-columns.js'
import { shownName } from '../sql-text.js'
import type { Session } from './session.js'

export interface PostgresForeignKey extends ForeignKey {
  readonly name: string
  readonly definition: string
  readonly validated: boolean
}

export interface Column extends Key {
  readonly type: string
  readonly notNull: boolean
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

const NAME_OF = (relation: string, schema: string) =>
  `format('%I.%I', ${schema}.nspname, ${relation}.relname)`

/** The names of a table's columns, in the order of an array of their numbers. */
const COLUMN_NAMES = (table: string, numbers: string) => `(SELECT json_agg(a.attname ORDER BY k.i)
  FROM unnest(${numbers}) WITH ORDINALITY AS k (number, i)
  LEFT JOIN pg_attribute AS a ON a.attrelid = ${table} AND a.attnum = k.number AND k.number > 0)`

/** The table's name with its schema, as SQL. */
export async function resolveTable(session: Session, given: string): Promise<string> {
  const [found] = await session.query<{ table: string; kind: string; inherits: boolean }>(
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
export async function keyOf(session: Session, table: string): Promise<Key> {
  const [found] = await session.query<{ columns: string[] }>(
    `SELECT ${COLUMN_NAMES('conrelid', 'conkey')} AS columns FROM pg_constraint
      WHERE contype = 'p' AND conrelid = $1::regclass`,
    [table],
  )
  const [column, ...others] = found?.columns ?? []
  if (column === undefined) return refuse(shownName(table), 'the table has no primary key')
  if (others.length > 0) {
    return refuse(
      shownName(table),
      `the primary key has several columns (${found?.columns.join(', ')}); ` +
        'give the tables that they refer to, and it follows',
    )
  }
  return { table, column }
}

export async function readForeignKeys(session: Session): Promise<PostgresForeignKey[]> {
  return session.query<PostgresForeignKey & Record<string, unknown>>(
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

export async function readColumns(session: Session, tables: readonly string[]): Promise<Map<string, Column>> {
  const columns = await session.query<Column & Record<string, unknown>>(
    `SELECT t AS table, attname AS column, format_type(atttypid, atttypmod) AS type, attnotnull AS "notNull",
            attgenerated <> '' AS generated, atthasdef AS "hasDefault",
            (SELECT typnotnull FROM pg_type WHERE oid = atttypid) AS "refusesNull", attacl IS NOT NULL AS "hasPrivileges"
       FROM unnest($1::text[]) AS t JOIN pg_attribute ON attrelid = t::regclass
      WHERE attnum > 0 AND NOT attisdropped`,
    [tables],
  )
  return new Map(columns.map((column) => [pathOf(column), column]))
}

export async function readIndexes(session: Session, tables: readonly string[]): Promise<Index[]> {
  return session.query<Index & Record<string, unknown>>(
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
