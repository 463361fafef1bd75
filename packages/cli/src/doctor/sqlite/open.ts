import type Database from 'better-sqlite3'
import { UsageError } from '../../exit.js'
import { inBatches } from '../batches.js'
import { driver } from '../drivers.js'
import type { LiveDatabase, Row } from '../live-database.js'
import { readColumns } from './columns.js'

export interface Sqlite extends LiveDatabase {
  readonly kind: 'sqlite'
}

/** An SQLite file, opened for reading only. */
export async function openSqlite(file: string): Promise<Sqlite> {
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
    columns: async () => readColumns(connection),
    isOneOf: (column, count) => `${column} IN (${Array(count).fill('?').join(', ')})`,
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
    throw new UsageError(`${file} can't be opened: ${(error as Error).message}`)
  }
}
