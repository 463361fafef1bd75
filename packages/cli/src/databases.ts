import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UsageError } from './exit.js'

/** What opens each kind of database. */
export interface Openers<Opened> {
  postgres(url: string): Opened
  mysql(url: string): Opened
  sqlite(file: string): Opened
}

/**
 * Opens `postgres://…`, `mysql://…` or `mariadb://…`, or an SQLite file: `sqlite:orders.db`, `file:orders.db` or its path.
 *
 * @throws {UsageError}
 */
export function openBy<Opened>(url: string, { postgres, mysql, sqlite }: Openers<Opened>): Opened {
  if (/^postgres(?:ql)?:\/\//.test(url)) return postgres(url)
  if (/^(?:mysql|mariadb):\/\//.test(url)) return mysql(url)
  const file = filePath(url)
  if (existsSync(file)) return sqlite(file)
  throw new UsageError(
    `a database must be postgres://…, mysql://…, mariadb://… or the path of an existing SQLite file, not ${withoutPassword(url)}`,
  )
}

function filePath(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url)
  return url.replace(/^(?:sqlite:(?:\/\/)?|file:)/, '').replace(/\?.*$/, '')
}

/** Imports a driver that you install yourself. @throws {UsageError} if it is missing. */
export async function driver<Module>(load: () => Promise<Module>, name: string): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UsageError(`${name} is not installed; install it beside snoflax: npm install ${name}`)
  }
}

/** Connects. @throws {UsageError} with the server's URL, without the password. */
export async function reach<Result>(url: string, connect: () => Promise<Result>): Promise<Result> {
  try {
    return await connect()
  } catch (error) {
    // If several addresses refuse, Node throws an AggregateError without a message.
    const { message, code } = error as NodeJS.ErrnoException
    throw new UsageError(`${withoutPassword(url)} cannot be reached: ${message || code || String(error)}`)
  }
}

export const withoutPassword = (url: string): string =>
  url.replace(/^([a-z]+:\/\/[^:@/]*):.*@/i, '$1@').replace(/([?&]password=)[^&]*/i, '$1…')

/** Whether it is an error of the database or the connection, not of this program. */
export function isDatabaseError(error: unknown): error is Error {
  const { code, sqlState } = error as { code?: unknown; sqlState?: unknown }
  return (
    sqlState !== undefined || (typeof code === 'string' && /^(?:[0-9A-Z]{5}$|SQLITE_|E[A-Z]+$)/.test(code))
  )
}
