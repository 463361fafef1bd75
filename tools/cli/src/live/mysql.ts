import type { Connection } from 'mysql2'
import { driver, reach } from './address.js'
import { inBatches, type LiveDatabase, partsByKey, type Row, toColumn } from './database.js'

/** A MySQL or MariaDB database, read in READ ONLY transactions. */
export async function openMysql(url: string): Promise<LiveDatabase> {
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
    columns: async () =>
      (await query(COLUMNS)).map((row) => toColumn({ ...row, type: bareType(String(row['type'])) }, quote)),
    partsOf: partsByKey,
    close: async () => {
      await connection
        .promise()
        .query('ROLLBACK')
        .catch(() => {})
      await connection.promise().end()
    },
  }
}

/** Other modes quote names and texts differently, leave parts of definitions out, or pad values. */
const SET_MODE = "SET sql_mode = 'STRICT_ALL_TABLES'"

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
  await connection.promise().query(SET_MODE)
  await connection.promise().query('START TRANSACTION READ ONLY')
  return connection
}

/** Uses a separate connection: on the same one, other queries would wait until the stream ends. */
async function* streamed(url: string, sql: string): AsyncIterable<Row[]> {
  const connection = await connect(url)
  try {
    yield* inBatches(connection.query(sql).stream())
  } finally {
    await connection.promise().end()
  }
}

export const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/** The sizes of text and blob are different types with the same behaviour. */
const bareType = (type: string): string =>
  type.toLowerCase().replace(/^(?:tiny|medium|long)(?=text|blob)/, '')

/** Joined, since each subquery of the catalog opens all tables again. */
const COLUMNS = `
  SELECT c.table_name AS \`table\`, c.column_name AS name, c.data_type AS type, c.column_type AS declared,
    c.character_maximum_length AS length, c.collation_name AS collation, c.is_nullable = 'YES' AS nullable,
    coalesce(c.generation_expression, '') <> '' AS \`generated\`, nullif(c.column_default, 'NULL') AS default_sql, t.table_rows AS \`rows\`,
    i.is_key, i.is_unique, i.is_indexed, k.reference,
    CASE WHEN c.extra LIKE '%auto_increment%' THEN 'auto_increment' END AS counter,
    CASE WHEN NOT find_in_set('select', c.privileges) THEN 'this account lacks SELECT' END AS hidden
  FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  LEFT JOIN (
    SELECT table_name, column_name, max(non_unique = 0 AND width = 1) AS is_key, max(non_unique = 0) AS is_unique,
        max(seq_in_index = 1 AND index_type = 'BTREE') AS is_indexed
      FROM (SELECT table_name, column_name, non_unique, seq_in_index, index_type,
          count(*) OVER (PARTITION BY table_name, index_name) AS width
        FROM information_schema.statistics WHERE table_schema = database()) AS parts
     GROUP BY table_name, column_name) AS i ON i.table_name = c.table_name AND i.column_name = c.column_name
  LEFT JOIN (
    SELECT table_name, column_name, min(concat(referenced_table_name, '.', referenced_column_name)) AS reference
      FROM information_schema.key_column_usage
     WHERE table_schema = database() AND referenced_table_schema = table_schema
     GROUP BY table_name, column_name) AS k ON k.table_name = c.table_name AND k.column_name = c.column_name
  WHERE c.table_schema = database() AND t.table_type = 'BASE TABLE'
  ORDER BY c.table_name, c.ordinal_position`
