import { randomBytes } from 'node:crypto'
import type { Connection, Pool } from 'mysql2/promise'
import type { DatabaseKind, OpenDatabase, Row, Template } from './open-database.js'
import { urlTo, withoutPassword } from './postgres-connection.js'
import { thisRun } from './run.js'

export interface MysqlDatabase extends OpenDatabase {
  readonly kind: 'mysql'
  readonly name: string
  readonly url: string
  readonly pool: Pool
}

// Loaded where a test needs it, which few do.
const driver = () => import('mysql2/promise')

export interface MysqlOptions {
  template?: Template<MysqlDatabase>
}

/** MySQL or MariaDB, if SNOFLAX_MYSQL_URL names a server whose user may create databases. */
export const mysql: DatabaseKind<MysqlDatabase, MysqlOptions> = {
  name: 'mysql',
  selected: () => Boolean(process.env['SNOFLAX_MYSQL_URL']),
  open: async (options = {}) => {
    const server = selectedUrl()
    const name = `${thisRun().prefix}_${randomBytes(5).toString('hex')}`
    const label = await onServer(server, async (connection) => {
      await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
      return versionOf(connection)
    })
    const url = urlTo(server, { database: name })
    const { createPool } = await driver()
    const pool = createPool({
      uri: url,
      supportBigNumbers: true,
      bigNumberStrings: true,
      connectTimeout: 60_000,
    })
    let closed: Promise<void> | undefined
    const drop = async () => {
      await pool.end()
      await onServer(server, (connection) => connection.query(`DROP DATABASE IF EXISTS ${name}`))
    }
    const database: MysqlDatabase = {
      kind: 'mysql',
      name,
      url,
      label,
      pool,
      query: async (sql, parameters = []) => {
        const [rows] = await pool.query(sql, [...parameters])
        return Array.isArray(rows) ? (rows as Row[]) : []
      },
      close: () => {
        closed ??= drop()
        return closed
      },
    }
    await options.template?.prepare(database)
    return database
  },
}

/** Kind and version of the selected server. @throws if it does not answer. */
export async function mysqlVersion(): Promise<string> {
  const url = selectedUrl()
  return onServer(url, versionOf).catch((cause: Error) => {
    const shown = withoutPassword(url)
    throw new Error(`SNOFLAX_MYSQL_URL names ${shown}, which cannot be reached: ${cause.message}`, { cause })
  })
}

/** Removes everything that was created with the prefix. */
export async function dropMysqlDatabases(prefix: string): Promise<void> {
  await onServer(selectedUrl(), async (connection) => {
    const [rows] = await connection.query(
      'SELECT schema_name AS name FROM information_schema.schemata WHERE left(schema_name, ?) = ?',
      [prefix.length + 1, `${prefix}_`],
    )
    for (const { name } of rows as Row[]) await connection.query(`DROP DATABASE ${name}`)
  })
}

function selectedUrl(): string {
  const url = process.env['SNOFLAX_MYSQL_URL']
  if (!url) throw new Error('MySQL was not selected: SNOFLAX_MYSQL_URL names no server')
  return url
}

async function versionOf(connection: Connection): Promise<string> {
  const [rows] = await connection.query('SELECT version() AS version')
  const version = String((rows as Row[])[0]?.['version'])
  const [number = '', , ...rest] = version.split('-')
  return version.includes('MariaDB') || rest.includes('MariaDB') ? `MariaDB ${number}` : `MySQL ${number}`
}

async function onServer<Result>(
  url: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const { createConnection } = await driver()
  const connection = await createConnection({ uri: url, connectTimeout: 60_000 })
  try {
    return await work(connection)
  } finally {
    await connection.end()
  }
}
