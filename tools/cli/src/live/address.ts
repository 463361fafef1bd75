import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Client } from 'pg'
import { UsageError } from '../exit.js'

interface Openers<Opened> {
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
  if (/^postgres(?:ql)?:\/\//i.test(url)) return postgres(url)
  if (/^(?:mysql|mariadb):\/\//i.test(url)) return mysql(url)
  const file = filePath(url)
  if (existsSync(file)) return sqlite(file)
  throw new UsageError(
    `a database must be postgres://…, mysql://…, mariadb://… or the path of an existing SQLite file, not ${shownAddress(url)}`,
  )
}

function filePath(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url)
  return url.replace(/^(?:sqlite:(?:\/\/)?|file:)/, '').replace(/\?[\s\S]*$/, '')
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

export async function reach<Result>(url: string, connect: () => Promise<Result>): Promise<Result> {
  try {
    return await connect()
  } catch (error) {
    throw new UsageError(`${shownAddress(url)} cannot be reached: ${messageAbout(url, error)}`)
  }
}

/** A connection to PostgreSQL. @throws {UsageError} */
export async function pgClient(url: string, name: string): Promise<Client> {
  const { default: pg } = await driver(() => import('pg'), 'pg')
  return reach(url, async () => {
    const client = new pg.Client({ connectionString: url, application_name: name })
    // A lost connection fails the pending query, which reports it.
    client.on('error', () => {})
    await client.connect()
    return client
  })
}

/** What may be shown of a database's address: scheme and host of a URL, or the path of a file. */
export function shownAddress(address: string): string {
  const [, scheme, host, rest = ''] = URL_PARTS.exec(address) ?? []
  if (scheme !== undefined && !FILE.test(`${scheme}:`))
    // In a malformed URL the host may be a part of the password.
    return host === undefined || rest.includes('@') ? `${scheme}://…` : `${scheme}://${host}`
  const path = address.replace(/\?[\s\S]*$/, '')
  return /[@=;]|:\/|^[^:/\\]{2,}:/.test(path.replace(FILE, '')) ? 'this one' : path
}

const FILE = /^(?:file|sqlite):/i
const URL_PARTS =
  /^\s*([a-z][a-z0-9+.-]*):\/\/(?:(?:[^\s/?#;]*@)?([a-z0-9._-]+|\[[\da-f:.]+\])(?::\d+)?(?=[/?#;]|$))?([\s\S]*)$/i

/** The text, with no more of the URLs in it than scheme and host. Those of files stay as they are. */
export const withoutSecrets = (text: string): string =>
  text.replace(/(?<![a-z0-9+.-])(?!file:)[a-z][a-z0-9+.-]{0,40}:\/\/[^\s"'`<>]+/gi, (url) => {
    const [end = ''] = /[),.:;]{0,4}$/.exec(url) ?? []
    return shownAddress(url.slice(0, url.length - end.length)) + end
  })

/** The message of an error, without the address and the password, which some drivers quote. */
export function messageAbout(address: string, error: unknown): string {
  // If several addresses refuse, Node throws an AggregateError without a message.
  const { message, code } = error as NodeJS.ErrnoException
  const [, login = '', rest = ''] = /^[^:]*:\/\/([\s\S]*)@([\s\S]*)$/.exec(address) ?? ['', '', address]
  const passwords = [
    login.replace(/^[^:]*:?/, ''),
    ...rest
      .split(/[?&;]/)
      .slice(1)
      .map((one) => one.replace(/^[^=]*=/, '')),
  ]
  // What is malformed may have been read in another way, such as a part of the password as the host.
  const parts = shownAddress(address).endsWith('…') ? address.split(/[^\w.-]+/).slice(1) : []
  const secrets = [address, ...parts, ...passwords.flatMap((one) => [one, decoded(one)])].filter(
    (one) => one.length > 2,
  )
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message || code || String(error))
}

/** Without escapes of URLs, if it has them. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether it is an error of the database or the connection, not of this program. */
export function isDatabaseError(error: unknown): error is Error {
  const { code, sqlState } = error as { code?: unknown; sqlState?: unknown }
  return (
    sqlState !== undefined || (typeof code === 'string' && /^(?:[0-9A-Z]{5}$|SQLITE_|E[A-Z]+$)/.test(code))
  )
}
