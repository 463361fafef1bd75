import { quoteName, sqliteCollation } from '@snoflax/core/adapter'
import type Database from 'better-sqlite3'
import { UsageError } from '../exit.js'
import { driver } from './address.js'
import {
  type Column,
  inBatches,
  indexedColumns,
  type LiveDatabase,
  nameIn,
  partsByKey,
  type Row,
  toColumn,
} from './database.js'

/** An SQLite file, opened for reading only. */
export async function openSqlite(file: string): Promise<LiveDatabase> {
  const { default: Connection } = await driver(() => import('better-sqlite3'), 'better-sqlite3')
  const connection = connect(() => new Connection(file, { readonly: true, fileMustExist: true }), file)
  // Integers above 2^53 come as bigints.
  connection.defaultSafeIntegers()
  const { version } = connection.prepare('SELECT sqlite_version() AS version').get() as { version: string }
  return {
    kind: 'sqlite',
    label: `SQLite ${version}`,
    query: async (sql, parameters = []) => connection.prepare(sql).all(...parameters) as Row[],
    batches: (sql) => inBatches(connection.prepare(sql).iterate()),
    queries: async (sql) => sql.map((one) => connection.prepare(one).all() as Row[]),
    unlisted: async () => {
      const tables = connection.prepare(VIRTUAL).pluck().all() as string[]
      return new Map(tables.length > 0 ? [['virtual tables', tables]] : [])
    },
    columns: async (isCounted = true) => readColumns(connection, isCounted),
    partsOf: (column, key) => (hasRowid(connection, column) ? BY_ROWID(column) : partsByKey(column, key)),
    close: async () => {
      connection.close()
    },
  }
}

function connect(open: () => Database.Database, file: string): Database.Database {
  try {
    const connection = open()
    connection.prepare('SELECT count(*) FROM sqlite_master').get()
    return connection
  } catch (error) {
    throw new UsageError(`${file} cannot be opened: ${(error as Error).message}`)
  }
}

const hasRowid = (connection: Database.Database, { table }: Column): boolean =>
  connection.prepare('SELECT wr FROM pragma_table_list(?)').pluck().get(table) === 0n

const BY_ROWID = ({ quotedTable }: Column): string[] => [
  `WHERE rowid >= (SELECT (SELECT min(rowid) FROM ${quotedTable}) / 2 + (SELECT max(rowid) FROM ${quotedTable}) / 2)`,
  'ORDER BY rowid DESC',
]

interface CatalogColumn {
  readonly table: string
  readonly name: string
  readonly declared: string
  /** Position in the primary key, from 1; 0 if it is none of its columns. */
  readonly pk: bigint
}

function readColumns(connection: Database.Database, isCounted: boolean): Column[] {
  const all = <Result>(sql: string): Result[] => connection.prepare(sql).all() as Result[]
  const tables = new Map<string, CatalogColumn[]>()
  for (const column of all<CatalogColumn>(COLUMNS)) {
    const own = tables.get(column.table)
    if (own) own.push(column)
    else tables.set(column.table, [column])
  }
  const indexed = indexedColumns([
    ...all<Row>(INDEXES).map((row) => ({
      table: String(row['table']),
      column: row['name'] as string | null,
      index: String(row['index']),
      position: Number(row['seq']),
      isUnique: Boolean(Number(row['is_unique'])),
      isPrimary: row['origin'] === 'pk',
      isPartial: Boolean(Number(row['is_partial'])),
      isSorted: true,
    })),
    // The key of rowids has no index of its own.
    ...[...tables.values()].flatMap((columns) => {
      const [key, ...others] = columns.filter(({ pk }) => pk > 0)
      return key === undefined || others.length > 0
        ? []
        : {
            table: key.table,
            column: key.name,
            index: '',
            position: 0,
            isUnique: true,
            isPrimary: true,
            isPartial: false,
            isSorted: true,
          }
    }),
  ])
  const references = referencesOf(all<Reference>(REFERENCES), tables)
  const countOf = (table: string): unknown =>
    connection
      .prepare(`SELECT count(*) FROM ${quoteName(table)}`)
      .pluck()
      .get()
  return [...tables].flatMap(([table, columns]) => {
    const collations = collationsOf(connection, table, columns)
    const rows = isCounted ? countOf(table) : undefined
    return columns.map((column) => {
      const type = affinityOf(column.declared)
      const collation = collations.get(column.name)
      const reference = references.get(nameIn(table, column.name.toLowerCase()))
      const found = {
        ...column,
        ...indexed.get(nameIn(table, column.name)),
        type,
        collation,
        reference,
        rows,
      }
      return toColumn(found, quoteName)
    })
  })
}

/** By the name of the column. A collation of the application's is unknown: only its own connections can compare by it. */
function collationsOf(
  connection: Database.Database,
  table: string,
  columns: readonly CatalogColumn[],
): ReadonlyMap<string, string> {
  const read = (names: readonly string[]): string[] => {
    const terms = names.map((name) => sqliteCollation(quoteName(table), quoteName(name)))
    const row = connection
      .prepare(`SELECT ${terms.join(', ')}`)
      .raw()
      .get() as (string | null)[]
    return row.map((collation) => collation ?? 'BINARY')
  }
  const names = columns.map(({ name }) => name)
  const collations =
    attempt(() => read(names)) ?? names.map((name) => attempt(() => read([name]))?.[0] ?? 'unknown')
  return new Map(names.map((name, i) => [name, collations[i] as string]))
}

function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (/no such collation|unknown function/.test((error as Error).message)) return undefined
    throw error
  }
}

interface Reference {
  readonly table: string
  readonly own: string
  readonly target: string
  /** Null for the primary key. */
  readonly column: string | null
  readonly seq: bigint
}

/** References are spelled as the target is, since SQLite ignores case. Without columns they mean the primary key. */
function referencesOf(
  references: readonly Reference[],
  tables: ReadonlyMap<string, readonly CatalogColumn[]>,
): ReadonlyMap<string, string> {
  const byName = new Map(
    [...tables.values()].map((columns) => [(columns[0] as CatalogColumn).table.toLowerCase(), columns]),
  )
  const found = new Map<string, string>()
  for (const { table, own, target, column, seq } of references) {
    const place = nameIn(table, own.toLowerCase())
    const meant = byName
      .get(target.toLowerCase())
      ?.find(({ pk, name }) =>
        column === null ? pk === seq + 1n : name.toLowerCase() === column.toLowerCase(),
      )
    if (meant !== undefined && !found.has(place)) found.set(place, `${meant.table}.${meant.name}`)
  }
  return found
}

/** The affinity of a declared type, by SQLite's rules in their order. A column without a type has `blob`. */
function affinityOf(declared: string): 'integer' | 'text' | 'blob' | 'real' | 'numeric' {
  const type = declared.toUpperCase()
  if (type.includes('INT')) return 'integer'
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text'
  if (type === '' || type.includes('BLOB')) return 'blob'
  if (/REAL|FLOA|DOUB/.test(type)) return 'real'
  return 'numeric'
}

const TABLES = `sqlite_master m WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'`

const VIRTUAL = `SELECT m.name FROM ${TABLES} AND m.sql LIKE 'CREATE VIRTUAL%' ORDER BY 1`

const STORED = `(SELECT m.name AS "table" FROM ${TABLES} AND m.sql NOT LIKE 'CREATE VIRTUAL%') AS m`

const COLUMNS = `
  SELECT m."table", c.name, c.type AS declared, c.hidden AS generated, NOT c."notnull" AS nullable, c.dflt_value AS default_sql, c.pk
    FROM ${STORED} JOIN pragma_table_xinfo(m."table") c WHERE c.hidden <> 1`

const INDEXES = `
  SELECT m."table", i.name AS "index", k.name, k.seqno AS seq, i."unique" AS is_unique, i.origin, i.partial AS is_partial
    FROM ${STORED} JOIN pragma_index_list(m."table") i JOIN pragma_index_info(i.name) k`

const REFERENCES = `
  SELECT m."table", f."from" AS own, f."table" AS target, f."to" AS "column", f.seq
    FROM ${STORED} JOIN pragma_foreign_key_list(m."table") f ORDER BY m."table", f.id`
