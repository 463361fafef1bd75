import type { Connection } from 'mysql2'
import { inBatches } from '../batches.js'
import { driver, reach } from '../drivers.js'
import type { LiveDatabase, Row } from '../live-database.js'
import { columnsSql, toColumn } from './columns.js'

export interface Mysql extends LiveDatabase {
  readonly kind: 'mysql' | 'mariadb'
}

/** A MySQL or MariaDB database, read in READ ONLY transactions. */
export async function openMysql(url: string): Promise<Mysql> {
  const connection = await connect(url)
  const query = async (sql: string, parameters: readonly unknown[] = []): Promise<Row[]> => {
    const [rows] = await connection.promise().query(sql, [...parameters])
    return rows as Row[]
  }
  const version = String((await query('SELECT version() AS version'))[0]?.['version'])
  const isMaria = /mariadb/i.test(version)
  return {
    kind: isMaria ? 'mariadb' : 'mysql',
    label: `${isMaria ? 'MariaDB' : 'MySQL'} ${version.split('-')[0]}`,
    query,
    batches: (sql) => streamed(url, sql),
    columns: async () => (await query(columnsSql)).map(toColumn),
    isOneOf: (column, count) => `${column} IN (${Array(count).fill('?').join(', ')})`,
    close: () => connection.promise().end(),
  }
}

async function connect(url: string): Promise<Connection> {
  const { default: mysql } = await driver(() => import('mysql2'), 'mysql2')
  const connection = await reach(url, async () => {
    const one = mysql.createConnection({
      uri: url.replace(/^mariadb:/, 'mysql:'),
      supportBigNumbers: true,
      bigNumberStrings: true,
      dateStrings: true,
    })
    await one.promise().connect()
    return one
  })
  await connection.promise().query('START TRANSACTION READ ONLY')
  return connection
}

/** On a connection of its own: a query would have to wait for the end of what streams on the same one. */
async function* streamed(url: string, sql: string): AsyncIterable<Row[]> {
  const connection = await connect(url)
  try {
    yield* inBatches(connection.query(sql).stream())
  } finally {
    await connection.promise().end()
  }
}
