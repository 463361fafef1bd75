import type { Database } from '@snoflax/core'

export type Row = Record<string, unknown>

/** A read-only connection. */
export interface LiveDatabase {
  readonly kind: Database
  readonly label: string
  /** Runs one statement, with `?` (SQLite, MySQL) or `$1` (PostgreSQL) for parameters. */
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  /** Streams the rows of a query, some thousands at a time. */
  batches(sql: string): AsyncIterable<readonly Row[]>
  /** The columns of your tables. Partitions are represented by their parents. SQLite counts rows only if asked to. */
  columns(isCounted?: boolean): Promise<Column[]>
  /** Clauses that start reading a table in the middle and near the end, where that is cheap. */
  partsOf(column: Column, key: Column | undefined): readonly string[]
  close(): Promise<void>
}

export interface Column {
  /** Its table, with the schema unless it is the default one. */
  readonly table: string
  readonly name: string
  readonly quotedTable: string
  readonly quotedName: string
  /** The type without its length, in lower case; for a domain, the base type. */
  readonly type: string
  readonly declared: string
  readonly length: number | undefined
  /** Undefined if the type has none. */
  readonly collation: string | undefined
  readonly isNullable: boolean
  readonly defaultSql: string | undefined
  /** Whether the column alone is the primary key or unique. */
  readonly isKey: boolean
  /** Whether it is part of a primary key or a unique index. */
  readonly isUnique: boolean
  /** How the database counts its values, if it does: `identity` or `auto_increment`. */
  readonly counter: string | undefined
  /** Whether an index begins with it. */
  readonly isIndexed: boolean
  /** The column that it references, as `table.column`. */
  readonly references: string | undefined
  /** Rows of the table, possibly estimated by the database. */
  readonly rows: number
  /** Pages of the table, if its rows can be read by page. */
  readonly pages: number | undefined
  /** Why values can't be read, or not all of them; undefined if they can. */
  readonly hidden: string | undefined
  readonly isGenerated: boolean
}

export const placeOf = ({ table, name }: Column): string => `${table}.${name}`

/** A column as queries return it: schema (if any), table, name, type, declared and so on. */
export function toColumn(row: Row, quote: (name: string) => string): Column {
  const text = (field: string): string | undefined => (row[field] == null ? undefined : String(row[field]))
  const number = (field: string): number | undefined => (row[field] == null ? undefined : Number(row[field]))
  const [schema, table, name] = [text('schema'), String(row['table']), String(row['name'])]
  return {
    table: schema === undefined || schema === 'public' ? table : `${schema}.${table}`,
    name,
    quotedTable: [...(schema === undefined ? [] : [schema]), table].map(quote).join('.'),
    quotedName: quote(name),
    type: String(row['type']),
    declared: String(row['declared']),
    length: number('length'),
    collation: text('collation'),
    isNullable: Boolean(number('nullable')),
    defaultSql: text('default_sql'),
    isKey: Boolean(number('is_key')),
    isUnique: Boolean(number('is_unique')),
    counter: text('counter'),
    isIndexed: Boolean(number('is_indexed')),
    references: text('reference'),
    rows: number('rows') ?? 0,
    pages: number('pages'),
    hidden: text('hidden'),
    isGenerated: Boolean(number('generated')),
  }
}

/** Clauses in key order: from its end, and from its middle, as far as servers skip rows quickly. */
export const partsByKey = ({ rows }: Column, key: Column | undefined): readonly string[] =>
  key === undefined
    ? []
    : [
        `ORDER BY ${key.quotedName} DESC`,
        `WHERE ${key.quotedName} >= (SELECT ${key.quotedName} FROM ${key.quotedTable} ORDER BY ${key.quotedName}
          LIMIT 1 OFFSET ${Math.floor(Math.min(rows / 2, COUNTED))}) ORDER BY ${key.quotedName}`,
      ]

const COUNTED = 200_000

export const ROWS_AT_ONCE = 5000

/** Groups rows that arrive one by one into batches of some thousands. */
export async function* inBatches(rows: AsyncIterable<unknown> | Iterable<unknown>): AsyncIterable<Row[]> {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row as Row)
    if (batch.length < ROWS_AT_ONCE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
