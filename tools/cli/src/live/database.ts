import type { Database } from '@snoflax/core'

export type Row = Record<string, unknown>

/** A read-only connection. */
export interface LiveDatabase {
  readonly kind: Database
  readonly label: string
  /** Runs one statement, with `?` (SQLite, MySQL) or `$1` (PostgreSQL) for parameters. */
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  /** Runs several statements in one round trip, and returns the rows of each. If one fails, all do. */
  queries(sql: readonly string[]): Promise<Row[][]>
  /** Streams the rows of a query, some thousands at a time. */
  batches(sql: string): AsyncIterable<readonly Row[]>
  /**
   * The columns of your tables. Partitions are represented by their parents. Without `isCounted`, SQLite and PostgreSQL
   * count no rows.
   */
  columns(isCounted?: boolean): Promise<Column[]>
  /** What may have rows, but is not among the columns, by the reason: foreign and virtual tables. */
  unlisted(): Promise<ReadonlyMap<string, readonly string[]>>
  /** Clauses that start reading a table in the middle and near the end, where that is cheap. */
  partsOf(column: Column, key: Column | undefined): readonly string[]
  close(): Promise<void>
}

export interface Column {
  /** Its table, with the schema unless it is the default one. */
  readonly table: string
  /** Undefined where the database has none. */
  readonly schema: string | undefined
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
  /** Whether it is part of a primary key or a unique index that has all rows. */
  readonly isUnique: boolean
  /** Whether it is part of a primary key or of any unique index, also of one that has only some rows. */
  readonly isIdentifying: boolean
  /** Whether it is part of the primary key. */
  readonly isPrimary: boolean
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
  /** Why its values can't be read; undefined if they can. */
  readonly unreadable: string | undefined
  /** Whether row security may hide rows of the table. */
  readonly isFiltered: boolean
  readonly isGenerated: boolean
  /** Whether other tables inherit from its table, whose rows a query then returns, too. */
  readonly isParent: boolean
  /** Whether its table inherits from another. */
  readonly isChild: boolean
}

export const placeOf = ({ table, name }: Column): string => `${table}.${name}`

/** A column as queries return it: schema (if any), table, name, type, declared and so on. */
export function toColumn(row: Row, quote: (name: string) => string): Column {
  const text = (field: string): string | undefined => (row[field] == null ? undefined : String(row[field]))
  const number = (field: string): number | undefined => (row[field] == null ? undefined : Number(row[field]))
  const [schema, table, name] = [text('schema'), String(row['table']), String(row['name'])]
  return {
    table: schema === undefined || schema === 'public' ? table : `${schema}.${table}`,
    schema,
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
    isIdentifying: Boolean(number('is_identifying')),
    isPrimary: Boolean(number('is_primary')),
    counter: text('counter'),
    isIndexed: Boolean(number('is_indexed')),
    references: text('reference'),
    rows: number('rows') ?? 0,
    pages: number('pages'),
    unreadable: text('unreadable'),
    isFiltered: Boolean(number('is_filtered')),
    isGenerated: Boolean(number('generated')),
    isParent: Boolean(number('is_parent')),
    isChild: Boolean(number('is_child')),
  }
}

/** A column of an index. */
export interface IndexPart {
  readonly table: string
  /** Null for an expression. */
  readonly column: string | null
  readonly index: string
  /** From 0. */
  readonly position: number
  readonly isUnique: boolean
  readonly isPrimary: boolean
  /** Whether the index has only some rows. */
  readonly isPartial: boolean
  /** Whether it finds values: a B-tree is, a full text index is not. */
  readonly isSorted: boolean
}

/** What the indexes say of each column, as {@link toColumn} reads it, by {@link nameIn}. */
export function indexedColumns(parts: readonly IndexPart[]): ReadonlyMap<string, Row> {
  const widths = new Map<string, number>()
  const widthOf = ({ table, index }: IndexPart): string => nameIn(table, index)
  for (const part of parts) widths.set(widthOf(part), (widths.get(widthOf(part)) ?? 0) + 1)
  const found = new Map<string, Row>()
  for (const part of parts) {
    if (part.column === null) continue
    const { isUnique, isPrimary, isPartial, isSorted, position } = part
    const own = found.get(nameIn(part.table, part.column)) ?? {}
    const isWhole = isUnique && !isPartial
    found.set(nameIn(part.table, part.column), {
      is_key: own['is_key'] || (isWhole && widths.get(widthOf(part)) === 1),
      is_unique: own['is_unique'] || isWhole,
      is_identifying: own['is_identifying'] || isUnique,
      is_primary: own['is_primary'] || isPrimary,
      is_indexed: own['is_indexed'] || (isSorted && !isPartial && position === 0),
    })
  }
  return found
}

/** A name for a column or an index of a table. */
export const nameIn = (table: string, name: string): string => `${table}\0${name}`

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
