import { quoteName } from '@snoflax/core/adapter'
import type Database from 'better-sqlite3'
import { UsageError } from '../exit.js'
import { driver } from './address.js'
import { type Column, inBatches, type LiveDatabase, partsByKey, type Row, toColumn } from './database.js'
import { collationsOf } from './sqlite-collations.js'

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
    columns: async (isCounted = true) => readColumns(connection, isCounted),
    partsOf: (column, key) =>
      /\bWITHOUT\s+ROWID\b/i.test(sqlOf(connection, column)) ? partsByKey(column, key) : BY_ROWID(column),
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

const sqlOf = (connection: Database.Database, { table }: Column): string =>
  connection
    .prepare("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?")
    .pluck()
    .get(table) as string

const BY_ROWID = ({ quotedTable }: Column): string[] => [
  `WHERE rowid >= (SELECT (SELECT min(rowid) FROM ${quotedTable}) / 2 + (SELECT max(rowid) FROM ${quotedTable}) / 2)`,
  'ORDER BY rowid DESC',
]

function readColumns(connection: Database.Database, isCounted: boolean): Column[] {
  const rows = connection.prepare(COLUMNS).all() as Record<'table' | 'name' | 'declared' | 'sql', string>[]
  const countOf = (table: string): unknown =>
    connection
      .prepare(`SELECT count(*) FROM ${quoteName(table)}`)
      .pluck()
      .get()
  const tables = isCounted ? [...new Set(rows.map(({ table }) => table))] : []
  const counts = new Map(tables.map((table) => [table, countOf(table)]))
  return rows.map((row) => {
    const collation = collationsOf(row.sql).get(row.name.toLowerCase()) ?? 'BINARY'
    const found = { ...row, type: affinityOf(row.declared), collation, rows: counts.get(row.table) }
    return toColumn(found, quoteName)
  })
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

/** References are spelled as the target is, since SQLite ignores case. Without columns they mean the primary key. */
const COLUMNS = `
  SELECT m.name AS "table", m.sql, c.name, c.type AS declared, c.hidden AS generated, NOT c."notnull" AS nullable, c.dflt_value AS default_sql,
    c.pk = 1 AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name) WHERE pk > 1)
      OR EXISTS (SELECT 1 FROM pragma_index_list(m.name) i JOIN pragma_index_info(i.name) k
        WHERE i."unique" AND NOT i.partial GROUP BY i.name HAVING count(*) = 1 AND min(k.name) = c.name) AS is_key,
    c.pk > 0 OR EXISTS (SELECT 1 FROM pragma_index_list(m.name) i JOIN pragma_index_info(i.name) k
      WHERE i."unique" AND NOT i.partial AND k.name = c.name) AS is_unique,
    c.pk = 1 AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name) WHERE pk > 1)
      OR EXISTS (SELECT 1 FROM pragma_index_list(m.name) i JOIN pragma_index_info(i.name) k
        WHERE NOT i.partial AND k.seqno = 0 AND k.name = c.name) AS is_indexed,
    (SELECT t.name || '.' || r.name FROM pragma_foreign_key_list(m.name) f
       JOIN sqlite_master t ON t.type = 'table' AND t.name = f."table" COLLATE NOCASE
       JOIN pragma_table_info(t.name) r
         ON CASE WHEN f."to" IS NULL THEN r.pk = f.seq + 1 ELSE r.name = f."to" COLLATE NOCASE END
      WHERE f."from" = c.name COLLATE NOCASE LIMIT 1) AS reference
    FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c
   WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND m.sql NOT LIKE 'CREATE VIRTUAL%'
     AND c.hidden <> 1`
