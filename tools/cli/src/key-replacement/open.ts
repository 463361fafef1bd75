import type { MariadbClient, PostgresClient, SqliteConnection } from '@snoflax/adopt'
import { driver, openBy, pgClient, reach } from '../live/address.js'

export interface Opened {
  readonly client: PostgresClient | SqliteConnection | MariadbClient
  close(): Promise<void>
}

/** @throws {UsageError} for a database that is not supported or can't be reached. */
export const openForAdoption = (url: string): Promise<Opened> =>
  openBy(url, { postgres: openPostgres, mysql: openMariadb, sqlite: openSqlite })

async function openSqlite(file: string): Promise<Opened> {
  const { default: Connection } = await driver(() => import('better-sqlite3'), 'better-sqlite3')
  const connection = new Connection(file)
  return {
    client: connection,
    close: async () => {
      connection.close()
    },
  }
}

async function openPostgres(url: string): Promise<Opened> {
  const client = await pgClient(url, 'snoflax adopt')
  return { client, close: () => client.end() }
}

async function openMariadb(url: string): Promise<Opened> {
  const { default: mysql } = await driver(() => import('mysql2/promise'), 'mysql2')
  return reach(url, async () => {
    const connection = await mysql.createConnection(url.replace(/^mariadb:/, 'mysql:'))
    // A lost connection rejects the running query.
    connection.on('error', () => {})
    return { client: connection, close: () => connection.end() }
  })
}
