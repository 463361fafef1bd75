import { openBy } from '../databases.js'
import type { LiveDatabase } from './live-database.js'
import { openMysql } from './mysql/open.js'
import { openPostgres } from './postgres/open.js'
import { openSqlite } from './sqlite/open.js'

/**
 * Connects to a database, or opens an SQLite file. For a trial it can be changed, and all changes are undone when it
 * closes.
 *
 * @throws {UsageError}
 */
export const openDatabase = (url: string, isTrial: boolean): Promise<LiveDatabase> =>
  openBy(url, {
    postgres: () => openPostgres(url, isTrial),
    mysql: () => openMysql(url, isTrial),
    sqlite: (file) => openSqlite(file, isTrial),
  })
