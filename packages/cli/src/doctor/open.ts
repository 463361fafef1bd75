import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../exit.js'
import { type LiveDatabase, withoutPassword } from './live-database.js'
import { openMysql } from './mysql/open.js'
import { openPostgres } from './postgres/open.js'
import { openSqlite } from './sqlite/open.js'

/**
 * Connects to `postgres://…`, `mysql://…` or `mariadb://…`, or opens an SQLite file: `sqlite:orders.db`, `file:orders.db`
 * or its path. For a trial it can be changed, and all changes are undone when it closes.
 *
 * @throws {UsageError}
 */
export function openDatabase(url: string, isTrial: boolean): Promise<LiveDatabase> {
  if (/^postgres(?:ql)?:\/\//.test(url)) return openPostgres(url, isTrial)
  if (/^(?:mysql|mariadb):\/\//.test(url)) return openMysql(url, isTrial)
  const file = filePath(url)
  if (existsSync(file)) return openSqlite(file, isTrial)
  throw new UsageError(
    `a database must be postgres://…, mysql://…, mariadb://… or the path of an existing SQLite file, not ${withoutPassword(url)}`,
  )
}

function filePath(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url)
  return url.replace(/^(?:sqlite:(?:\/\/)?|file:)/, '').replace(/\?.*$/, '')
}
