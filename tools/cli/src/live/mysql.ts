import { quoteMysqlName } from '@snoflax/core/adapter'
import type { Connection } from 'mysql2'
import { driver, reach } from './address.js'
import {
  type Column,
  inBatches,
  indexedColumns,
  type LiveDatabase,
  nameIn,
  partsByKey,
  type Row,
  toColumn,
} from './database.js'

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
    queries: async (sql) => {
      const rows = await query(sql.join(';\n'))
      return sql.length === 1 ? [rows] : (rows as unknown as Row[][])
    },
    columns: async () => readColumns(query),
    unlisted: async () => {
      const [row] = await query(SEES_ALL)
      return new Map(
        Number(row?.['sees_all'])
          ? []
          : [['not listed by the server', ['tables without rights for this account']]],
      )
    },
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
      multipleStatements: true,
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

/** The sizes of text and blob are different types with the same behaviour. */
const bareType = (type: string): string =>
  type.toLowerCase().replace(/^(?:tiny|medium|long)(?=text|blob)/, '')

/** Joined here: joins of the catalog compare each of its rows with each. */
async function readColumns(query: LiveDatabase['query']): Promise<Column[]> {
  const tables = new Map((await query(TABLES)).map((row) => [String(row['table']), row]))
  const references = new Map(
    (await query(REFERENCES)).map((row) => [nameIn(String(row['table']), String(row['name'])), row]),
  )
  const indexed = indexedColumns(
    (await query(INDEXES)).map((row) => ({
      table: String(row['table']),
      column: row['name'] as string | null,
      index: String(row['index']),
      position: Number(row['seq']) - 1,
      isUnique: Number(row['non_unique']) === 0,
      isPrimary: row['index'] === 'PRIMARY',
      isPartial: false,
      isSorted: row['type'] === 'BTREE' || row['type'] === 'HASH',
    })),
  )
  return (await query(COLUMNS)).flatMap((row) => {
    const table = tables.get(String(row['table']))
    if (table === undefined) return []
    const name = nameIn(String(row['table']), String(row['name']))
    const type = bareType(String(row['type']))
    return toColumn({ ...row, ...table, ...indexed.get(name), ...references.get(name), type }, quoteMysqlName)
  })
}

const ACCOUNT = `concat("'", replace(current_user(), '@', "'@'"), "'")`

/** Whether the account may read all tables of the database, by a right that is its own and not a role's. */
const SEES_ALL = `
  SELECT EXISTS (SELECT 1 FROM information_schema.user_privileges WHERE grantee = ${ACCOUNT} AND privilege_type = 'SELECT')
    OR EXISTS (SELECT 1 FROM information_schema.schema_privileges
      WHERE grantee = ${ACCOUNT} AND privilege_type = 'SELECT' AND database() LIKE table_schema) AS sees_all`

const TABLES = `
  SELECT table_name AS \`table\`, table_rows AS \`rows\` FROM information_schema.tables
   WHERE table_schema = database() AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')`

const INDEXES = `
  SELECT table_name AS \`table\`, column_name AS name, index_name AS \`index\`, non_unique AS non_unique, seq_in_index AS seq, index_type AS type
    FROM information_schema.statistics WHERE table_schema = database()`

const REFERENCES = `
  SELECT table_name AS \`table\`, column_name AS name, min(concat(referenced_table_name, '.', referenced_column_name)) AS reference
    FROM information_schema.key_column_usage
   WHERE table_schema = database() AND referenced_table_schema = table_schema
   GROUP BY table_name, column_name`

const COLUMNS = `
  SELECT table_name AS \`table\`, column_name AS name, data_type AS type, column_type AS declared,
    character_maximum_length AS length, collation_name AS collation, is_nullable = 'YES' AS nullable,
    coalesce(generation_expression, '') <> '' AS \`generated\`, nullif(column_default, 'NULL') AS default_sql,
    CASE WHEN extra LIKE '%auto_increment%' THEN 'auto_increment' END AS counter,
    CASE WHEN NOT find_in_set('select', privileges) THEN 'this account lacks SELECT' END AS unreadable
  FROM information_schema.columns
  WHERE table_schema = database()
  ORDER BY table_name, ordinal_position`
