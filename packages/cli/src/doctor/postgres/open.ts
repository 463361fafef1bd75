import type { Client } from 'pg'
import { driver, reach } from '../drivers.js'
import type { LiveDatabase, Row } from '../live-database.js'
import { columnsSql, toColumn } from './columns.js'

/** A PostgreSQL database, read in one READ ONLY transaction. */
export interface Postgres extends LiveDatabase {
  readonly kind: 'postgres'
  /** Runs several statements in one message, and gives the rows of each. */
  queryAll(statements: readonly string[]): Promise<Row[][]>
}

const ROWS_AT_ONCE = 5000

export async function openPostgres(url: string): Promise<Postgres> {
  const client = await connect(url)
  const query = (sql: string, parameters?: readonly unknown[]) => inSavepoint(client, sql, parameters)
  return {
    kind: 'postgres',
    label: await start(client),
    query,
    queryAll: (statements) => allInSavepoint(client, statements),
    batches: (sql) => batches(client, sql),
    columns: async () => (await query(columnsSql)).map(toColumn),
    isOneOf: (column, count) =>
      `${column} IN (${Array.from({ length: count }, (_, n) => `$${n + 1}`).join(', ')})`,
    close: () => client.end(),
  }
}

async function connect(url: string): Promise<Client> {
  const { default: pg } = await driver(() => import('pg'), 'pg')
  return reach(url, async () => {
    const client = new pg.Client({ connectionString: url, application_name: 'snoflax doctor' })
    // A server that goes away shows in the query that waits for it.
    client.on('error', () => {})
    await client.connect()
    return client
  })
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

const inSavepoint = (client: Client, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> =>
  protect(client, async () => (await client.query<Row>(sql, [...parameters])).rows)

/** pg gives an array of results where a text has several statements. */
const allInSavepoint = (client: Client, statements: readonly string[]): Promise<Row[][]> =>
  protect(client, async () => {
    const results: unknown = await client.query(statements.join(';\n'))
    return ([results].flat() as { rows: Row[] }[]).map(({ rows }) => rows)
  })

/** So that a refused query doesn't end the transaction. */
async function protect<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('SAVEPOINT before_query')
  try {
    const result = await work()
    await client.query('RELEASE SAVEPOINT before_query')
    return result
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
