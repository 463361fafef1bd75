import { isAccepting, isOpaque, ownOf } from '../identity.js'
import { IdError } from '../primitives/errors.js'
import type { Database } from '../storage/column.js'
import type { IdStorage } from '../storage/index.js'
import { TERMS } from './find.js'
import { quoteName } from './quote.js'

/** An id column as an ORM declares it. */
export interface DeclaredColumn {
  /** Its name in messages: `Order.customerId`. */
  readonly path: string
  /** The schema of the table, in MySQL its database. Default: that of the connection. */
  readonly schema?: string | undefined
  /** Its name in the database. */
  readonly table: string
  /** Its name in the database. */
  readonly column: string
  /** The storage of its ids. */
  readonly storage: IdStorage<string>
  /** Whether it stores arrays of ids. */
  readonly isList?: boolean
}

/** A column that differs in the database from its declaration in the ORM. */
export interface ColumnFault {
  /** Names the column, what it is, and what it must be. */
  readonly message: string
  /** Whether the table or the column does not exist. */
  readonly isMissing: boolean
}

/**
 * Runs a query and resolves with its rows, which have these fields. Placeholders are `$1` in PostgreSQL and `?`
 * elsewhere; parameters are texts or null.
 */
export type RunQuery = (
  sql: string,
  parameters: readonly (string | null)[],
  fields: readonly string[],
) => PromiseLike<readonly Readonly<Record<string, unknown>>[]>

/**
 * Compares id columns with the database: with a wrong collation, width or type, conditions would find the wrong rows
 * without an error.
 *
 * @example
 * const declared = { path: 'orders.id', table: 'orders', column: 'id', storage: storageFor(flax, 'postgres') }
 * const rows = [{ at: 0, type: 'text', collation: 'en_US' }]
 * const [fault] = await columnFaults('postgres', [declared], async () => rows)
 * fault?.message // 'orders.id: column orders.id is text COLLATE en_US and must be text COLLATE "C"'
 */
export async function columnFaults(
  database: Database,
  columns: readonly DeclaredColumn[],
  query: RunQuery,
): Promise<ColumnFault[]> {
  if (columns.length === 0) return []
  const found = (await LOOKS[database](columns, query)) as readonly StoredColumn[]
  return columns.flatMap((column, at) => {
    const stored = found.find((one) => Number(one.at) === at)
    if (stored && FITS[database](stored, column)) return []
    const is = stored ? described(stored) : 'not in the database'
    const wanted = `${column.storage.column.sql}${column.isList ? '[]' : ''}`
    const name = [column.schema, column.table, column.column].filter(Boolean).join('.')
    return [
      {
        message: `${column.path}: column ${name} is ${is} and must be ${wanted}`,
        isMissing: stored === undefined,
      },
    ]
  })
}

/**
 * Refuses columns that are not as they are declared.
 *
 * @param declaration what to change if the column is right: `the table's definition`.
 *
 * @throws {IdError} `STORAGE_REFUSED` with all faults; nothing is thrown without one.
 *
 * @example
 * refuseFaults([], 'the declaration') // undefined
 */
export function refuseFaults(faults: readonly ColumnFault[], declaration: string): void {
  if (faults.length === 0) return
  throw new IdError(
    'STORAGE_REFUSED',
    `${faults.map(({ message }) => message).join('; ')}. Change the column${faults.length > 1 ? 's' : ''} by a migration, ` +
      `or ${declaration}`,
    { field: 'checkColumns' },
  )
}

/** A column in the database, without its place. */
type StoredType = Omit<StoredColumn, 'at'>

/**
 * Whether a column of the database stores ids as declared: the rules of {@link columnFaults}.
 *
 * @example
 * fitsStored('sqlite', { type: 'text', collation: 'NOCASE' }, storageFor(flax, 'sqlite')) // false
 */
export const fitsStored = (database: Database, stored: StoredType, storage: IdStorage<string>): boolean =>
  FITS[database]({ ...stored, at: 0 }, { path: '', table: '', column: '', storage })

/** A column in the database. */
interface StoredColumn {
  /** Index of its declaration. */
  readonly at: number | string
  /** As the database writes it. */
  readonly type: string
  /** Undefined or null if it has none. */
  readonly collation?: string | null | undefined
  /** Length in characters or bytes, if the type has one. */
  readonly length?: number | string | null | undefined
}

function described({ type, length, collation }: StoredColumn): string {
  const sized = length == null || /\d/.test(type) ? type : `${type}(${length})`
  return collation ? `${sized} COLLATE ${collation}` : sized
}

/** The locale of the database: a subquery without outer references, which a statement evaluates once. */
const DATABASE_LOCALE = `(
  SELECT CASE WHEN provider = 'b' OR provider = 'c' AND locale ~* '^(C|POSIX)([.]|$)' THEN 'C'
      ELSE 'default (' || CASE provider WHEN 'i' THEN 'icu ' ELSE '' END || locale || ')' END
    FROM pg_catalog.pg_database AS d, to_jsonb(d) AS own,
      LATERAL (SELECT coalesce(own ->> 'datlocprovider', 'c'),
        coalesce(own ->> 'datlocale', own ->> 'daticulocale', d.datcollate)) AS of (provider, locale)
   WHERE d.datname = current_database())`

/**
 * SQL of PostgreSQL, for a collation in a row `o` of pg_collation: `C` if it sorts by code point, whatever its name is;
 * otherwise its name in SQL, or `default` with the locale of the database. Null without a collation. A builtin locale
 * always sorts by code point. pg_database has other columns in each version, hence the JSON.
 *
 * @example
 * const query = `SELECT a.attname, ${POSTGRES_COLLATION} AS collation FROM pg_attribute a
 *   LEFT JOIN pg_collation o ON o.oid = a.attcollation WHERE a.attrelid = 'orders'::regclass`
 */
export const POSTGRES_COLLATION = `CASE WHEN o.collprovider = 'd' THEN ${DATABASE_LOCALE}
  WHEN o.collprovider = 'b' OR o.collprovider = 'c' AND o.collcollate ~* '^(C|POSIX)([.]|$)' THEN 'C'
  ELSE o.oid::regcollation::text END`

type Look = (columns: readonly DeclaredColumn[], query: RunQuery) => PromiseLike<unknown>

/** MySQL and MariaDB, where the server decides whether names of tables are case-sensitive. */
const lookInMysql: Look = async (columns, query) => {
  const rows = (await query(
    `SELECT TABLE_SCHEMA AS db, TABLE_NAME AS tbl, COLUMN_NAME AS name, COLUMN_TYPE AS type, COLLATION_NAME AS collation,
      CHARACTER_MAXIMUM_LENGTH AS length, DATABASE() AS own FROM information_schema.COLUMNS
      WHERE ${columns.map(() => '(TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ? AND COLUMN_NAME = ?)').join(' OR ')}`,
    columns.flatMap(({ schema, table, column }) => [schema ?? null, table, column]),
    ['db', 'tbl', 'name', 'type', 'collation', 'length', 'own'],
  )) as Record<'db' | 'tbl' | 'name' | 'own', string>[]
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  return columns.flatMap(({ schema, table, column }, at) => {
    const row = rows.find(
      ({ db, tbl, name, own }) => same(schema ?? own, db) && same(table, tbl) && same(column, name),
    )
    return row ? [{ ...row, at }] : []
  })
}

/** Cloudflare D1 takes no JOIN of sqlite_master and a PRAGMA, since the former has tables that D1 hides. */
const SQLITE_COLUMNS = `
  SELECT d.key AS at, lower(c.type) AS type, coalesce(json_extract(d.value, '$.schema'), 'main') = 'main' COLLATE NOCASE
      AND json_extract(d.value, '$.table') COLLATE NOCASE IN (SELECT name FROM sqlite_master WHERE type = 'view') AS is_view
    FROM json_each(?) d
    JOIN pragma_table_xinfo(json_extract(d.value, '$.table'), json_extract(d.value, '$.schema')) c
      ON c.name = json_extract(d.value, '$.column') COLLATE NOCASE`

/**
 * SQL of SQLite, where no catalog has the collation of a column: its name, by how the column compares; null for BINARY,
 * `unknown` for one that is not SQLite's. What compares is a text in a column of a compound query, which has the
 * collation of the first SELECT.
 *
 * @param table quoted, with its schema if it has one.
 * @param column quoted. SQLite takes the name of a column that doesn't exist as a text.
 *
 * @example
 * const query = `SELECT ${sqliteCollation('"orders"', '"id"')} AS collation`
 */
export const sqliteCollation = (table: string, column: string): string => `(
  SELECT CASE WHEN x = 'A9' THEN 'NOCASE' WHEN x = 'a9 ' THEN 'RTRIM' WHEN x < 'B' OR x < 'a10' THEN 'unknown' END
    FROM (SELECT ${column} AS x FROM ${table} WHERE 0 UNION SELECT 'a9'))`

const lookInSqlite: Look = async (columns, query) => {
  const declared = columns.map(({ schema, table, column }) => ({ schema, table, column }))
  const rows = await query(SQLITE_COLUMNS, [JSON.stringify(declared)], ['at', 'type', 'is_view'])
  const stored: StoredColumn[] = []
  const texts: { readonly at: number; readonly type: string }[] = []
  for (const row of rows) {
    const at = Number(row['at'])
    const { name, column } = (columns[at] as DeclaredColumn).storage
    // A view has the types of its tables, which are declared too.
    if (Number(row['is_view']) === 1) stored.push({ at, type: column.type as string })
    else if (name === 'text') texts.push({ at, type: row['type'] as string })
    else stored.push({ at, type: row['type'] as string })
  }
  for (let from = 0; from < texts.length; from += TERMS) {
    const asked = texts.slice(from, from + TERMS)
    const collations = asked.map(({ at }) => {
      const { schema, table, column } = columns[at] as DeclaredColumn
      const path = schema === undefined ? quoteName(table) : `${quoteName(schema)}.${quoteName(table)}`
      return `${sqliteCollation(path, quoteName(column))} AS c${at}`
    })
    const [found] = await query(
      `SELECT ${collations.join(', ')}`,
      [],
      asked.map(({ at }) => `c${at}`),
    )
    stored.push(...asked.map(({ at, type }) => ({ at, type, collation: found?.[`c${at}`] as string | null })))
  }
  return stored
}

const LOOKS: Readonly<Record<Database, Look>> = {
  /** Finds tables by the connection's search_path, as statements do; a domain counts as its base type. */
  postgres: (columns, query) => {
    const declared = columns.map(({ schema, table, column }) => ({
      path: [schema, table].flatMap((part) => (part === undefined ? [] : [quoteName(part)])).join('.'),
      name: column,
    }))
    return query(
      `SELECT d.i::int - 1 AS at,
        format_type(CASE WHEN t.typbasetype = 0 THEN t.oid ELSE t.typbasetype END,
          CASE WHEN t.typbasetype = 0 THEN a.atttypmod ELSE t.typtypmod END) AS type,
        ${POSTGRES_COLLATION} AS collation
      FROM jsonb_array_elements($1::text::jsonb) WITH ORDINALITY AS d(it, i)
      JOIN pg_attribute a ON a.attrelid = to_regclass(d.it ->> 'path') AND a.attname = d.it ->> 'name'
        AND a.attnum > 0 AND NOT a.attisdropped
      JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_collation o ON o.oid = a.attcollation`,
      [JSON.stringify(declared)],
      ['at', 'type', 'collation'],
    )
  },
  sqlite: lookInSqlite,
  mysql: lookInMysql,
  mariadb: lookInMysql,
}

type Fits = (found: StoredColumn, column: DeclaredColumn) => boolean

const fitsInMysql: Fits = ({ type, collation, length }, { storage: { family, name, column } }) => {
  const width = (isAccepting(family) || isOpaque(family) ? ownOf(family).textLength : column.length) ?? 0
  if (name === 'bigint') {
    const isWide = (ownOf(family).decode(ownOf(family).max)[0] as number) >= 0x80
    return isWide ? /^bigint\b.*\bunsigned\b/.test(type) : /^bigint\b/.test(type)
  }
  // BINARY pads shorter values with zeros.
  if (name === 'binary')
    return type === `binary(${width})` || (/^varbinary/.test(type) && Number(length) >= width)
  return /^(var)?char/.test(type) && Number(length) >= width && /_bin$/.test(collation ?? '')
}

const FITS: Readonly<Record<Database, Fits>> = {
  postgres: ({ type, collation }, { isList = false, storage: { family, name, column } }) => {
    const [, base, width] = /^([^([]*)(?:\((\d+)\))?/.exec(type) ?? []
    if (type.endsWith('[]') !== isList) return false
    if (name !== 'text') return base === column.type
    const isWide = width === undefined || Number(width) >= (ownOf(family).textLength ?? 0)
    const isSorted = collation === 'C' || (isOpaque(family) && collation?.startsWith('default'))
    return (base === 'text' || base === 'character varying') && isWide && isSorted === true
  },
  // The affinity decides: a numeric one would change texts of digits.
  sqlite: ({ type, collation }, { storage: { name } }) => {
    if (name === 'bigint') return type.includes('int')
    return name === 'text'
      ? /char|clob|text/.test(type) && !/int/.test(type) && !collation
      : type === '' || (/blob/.test(type) && !/int|char|clob|text/.test(type))
  },
  mysql: fitsInMysql,
  mariadb: fitsInMysql,
}
