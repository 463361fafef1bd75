import type { Client } from 'pg'
import { driver, reach } from '../drivers.js'
import type { LiveDatabase, Row } from '../live-database.js'
import { columnsSql, toColumn } from './columns.js'

/** A PostgreSQL database, read in one READ ONLY transaction. */
export interface Postgres extends LiveDatabase {
  readonly kind: 'postgres'
}

const ROWS_AT_ONCE = 5000

export async function openPostgres(url: string): Promise<Postgres> {
  const client = await connect(url)
  const query = (sql: string, parameters?: readonly unknown[]) => inSavepoint(client, sql, parameters)
  return {
    kind: 'postgres',
    label: await start(client),
    query,
    batches: (sql) => batches(client, sql),
    columns: async () => (await query(columnsSql)).map(toColumn),
    isOneOf: (column, count) =>
      `${column} IN (${Array.from({ length: count }, (_, n) => `$${n + 1}`).join(', ')})`,
    close: () => client.end(),
  }
}

async function connect(url: string): Promise<Client> {
  const { default: pg } = await driver(() => import('pg'), 'pg')
  const client = new pg.Client({ connectionString: url, application_name: 'snoflax doctor' })
  // A server that goes away shows in the query that waits for it.
  client.on('error', () => {})
  await reach(url, () => client.connect())
  return client
}

/** Begins the transaction, and tells kind and version of the server. */
async function start(client: Client): Promise<string> {
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(
      "SET LOCAL search_path = ''; SET LOCAL TimeZone = 'UTC'; SET LOCAL bytea_output = 'hex'",
    )
    const { rows } = await client.query<{ version: string }>(
      "SELECT split_part(current_setting('server_version'), ' ', 1) AS version",
    )
    return `PostgreSQL ${rows[0]?.version}`
  } catch (error) {
    await client.end()
    throw error
  }
}

/** So that a refused query doesn't end the transaction. */
async function inSavepoint(client: Client, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  await client.query('SAVEPOINT before_query')
  try {
    const { rows } = await client.query<Row>(sql, [...parameters])
    await client.query('RELEASE SAVEPOINT before_query')
    return rows
  } catch (error) {
    // Where the connection broke, the first error tells why.
    await client.query('ROLLBACK TO SAVEPOINT before_query').catch(() => {})
    throw error
  }
}

async function* batches(client: Client, sql: string): AsyncIterable<Row[]> {
  await client.query(`DECLARE snoflax_doctor NO SCROLL CURSOR FOR ${sql}`)
  while (true) {
    const { rows } = await client.query<Row>(`FETCH ${ROWS_AT_ONCE} FROM snoflax_doctor`)
    if (rows.length === 0) break
    yield rows
  }
  await client.query('CLOSE snoflax_doctor')
}
