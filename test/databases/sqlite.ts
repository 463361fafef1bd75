import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { DatabaseKind, OpenDatabase, Row, Template } from './open-database.js'
import { thisRun } from './run.js'

export interface SqliteDatabase extends OpenDatabase {
  readonly kind: 'sqlite'
  /** For further connections. */
  readonly file: string
  readonly connection: Database.Database
}

export interface SqliteOptions {
  template?: Template<SqliteDatabase>
}

/** SQLite through better-sqlite3: a file of its own. */
export const sqlite: DatabaseKind<SqliteDatabase, SqliteOptions> = {
  name: 'sqlite',
  selected: () => true,
  open: async (options = {}) => {
    const folder = mkdtempSync(join(thisRun().folder, 'sqlite-'))
    const file = join(folder, 'test.db')
    const connection = new Database(file)
    // No test may rely on an order of rows that its query doesn't request.
    connection.pragma('reverse_unordered_selects = ON')
    const { version } = connection.prepare('SELECT sqlite_version() AS version').get() as { version: string }
    const database: SqliteDatabase = {
      kind: 'sqlite',
      label: `SQLite ${version}`,
      file,
      connection,
      query: async (sql, parameters = []) => {
        const statement = connection.prepare(sql)
        if (statement.reader) return statement.all(...parameters) as Row[]
        statement.run(...parameters)
        return []
      },
      close: async () => {
        connection.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
    await options.template?.prepare(database)
    return database
  },
}
