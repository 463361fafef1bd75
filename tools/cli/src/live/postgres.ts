import { POSTGRES_COLLATION, quoteName } from '@snoflax/core/adapter'
import type { Client } from 'pg'
import { pgClient } from './address.js'
import { type LiveDatabase, partsByKey, ROWS_AT_ONCE, type Row, toColumn } from './database.js'

/** A PostgreSQL database, read in one READ ONLY transaction. */
export async function openPostgres(url: string, name: string): Promise<LiveDatabase> {
  const client = await pgClient(url, name)
  const query = (sql: string, parameters?: readonly unknown[]) => inSavepoint(client, sql, parameters)
  return {
    kind: 'postgres',
    label: await start(client),
    query,
    batches: (sql) => batches(client, sql),
    queries: (sql) => inOneTrip(client, sql),
    columns: async (isCounted = true) =>
      (await query(columnsSql(isCounted))).map((row) => toColumn(row, quoteName)),
    unlisted: async () => {
      const rows = await query(FOREIGN)
      return new Map(rows.length > 0 ? [['foreign tables', rows.map(({ place }) => String(place))]] : [])
    },
    partsOf: (column, key) =>
      column.pages === undefined
        ? partsByKey(column, key)
        : [
            `WHERE ctid >= '(${Math.floor(column.pages / 2)},0)'`,
            `WHERE ctid >= '(${Math.max(0, column.pages - 2)},0)'`,
          ],
    close: async () => {
      await client.query('ROLLBACK').catch(() => {})
      await client.end()
    },
  }
}

/** Begins the transaction and returns the server's kind and version. */
async function start(client: Client): Promise<string> {
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(
      "SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL TimeZone = 'UTC'; SET LOCAL bytea_output = 'hex'; " +
        // Compiling the queries of the catalog takes longer than running them.
        'SET LOCAL jit = off',
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

/** Runs a query so that its failure doesn't abort the transaction. */
async function inSavepoint(client: Client, sql: string, parameters?: readonly unknown[]): Promise<Row[]> {
  if (parameters === undefined) return (await inOneTrip(client, [sql]))[0] as Row[]
  return guarded(client, async () => {
    await client.query('SAVEPOINT before_query')
    const { rows } = await client.query<Row>(sql, [...parameters])
    await client.query('RELEASE SAVEPOINT before_query')
    return rows
  })
}

const inOneTrip = (client: Client, sql: readonly string[]): Promise<Row[][]> =>
  guarded(client, async () => {
    const all = ['SAVEPOINT before_query', ...sql, 'RELEASE SAVEPOINT before_query']
    // Several statements without parameters have a result each.
    const results = (await client.query(all.join(';\n'))) as unknown as { readonly rows: Row[] }[]
    return results.slice(1, -1).map(({ rows }) => rows)
  })

async function guarded<Result>(client: Client, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    // If the connection is lost, the first error is the cause.
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

/** Assumed rows per page of a table without statistics, as after a restore. */
const UNKNOWN_DENSITY = 50

const BLOCKS = "current_setting('block_size')::bigint"

const FOREIGN = `
  SELECT CASE n.nspname WHEN 'public' THEN '' ELSE n.nspname || '.' END || c.relname AS place
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind = 'f' AND NOT c.relispartition ORDER BY 1`

/** Rows are estimated as the planner does, if they are asked for: that takes the size of each file. */
const columnsSql = (isCounted: boolean): string => `
  WITH tables AS MATERIALIZED (
    SELECT c.oid, n.oid AS schema_oid, n.nspname, c.relname, c.relkind, c.relhassubclass AND c.relkind = 'r' AS is_parent,
        EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhrelid = c.oid) AS is_child, row_security_active(c.oid) AS is_filtered
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND NOT c.relispartition
       AND n.nspname NOT IN ('pg_catalog', 'information_schema')),
  size AS MATERIALIZED (
    SELECT c.oid, sum(file.pages) AS pages,
        sum(file.pages * CASE WHEN leaf.relpages > 0 AND leaf.reltuples >= 0 THEN leaf.reltuples / leaf.relpages ELSE ${UNKNOWN_DENSITY} END) AS rows
      FROM tables c
      CROSS JOIN LATERAL (SELECT c.oid WHERE c.relkind = 'r'
        UNION ALL SELECT relid FROM pg_partition_tree(c.oid) WHERE c.relkind = 'p' AND isleaf) AS part (oid)
      JOIN pg_catalog.pg_class leaf ON leaf.oid = part.oid
      CROSS JOIN LATERAL (SELECT pg_relation_size(leaf.oid) / ${BLOCKS} OFFSET 0) AS file (pages)
     WHERE ${isCounted} GROUP BY c.oid),
  indexed AS MATERIALIZED (
    SELECT i.indrelid, i.indkey[n] AS attnum,
        bool_or(i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1) AS is_key,
        bool_or(i.indisunique AND i.indisvalid AND i.indpred IS NULL) AS is_unique,
        bool_or(i.indisunique) AS is_identifying,
        bool_or(i.indisprimary) AS is_primary,
        bool_or(n = 0 AND i.indisvalid AND i.indpred IS NULL AND m.amname = 'btree' AND i.indcollation[0] = a.attcollation) AS is_indexed
      FROM pg_catalog.pg_index i
      JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid JOIN pg_catalog.pg_am m ON m.oid = x.relam
      CROSS JOIN LATERAL generate_series(0, i.indnkeyatts - 1) AS part (n)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[n]
     GROUP BY 1, 2),
  referring AS MATERIALIZED (
    SELECT DISTINCT ON (k.conrelid, part.own) k.conrelid, part.own AS attnum,
        CASE tn.nspname WHEN 'public' THEN '' ELSE tn.nspname || '.' END || t.relname || '.' || ta.attname AS reference
      FROM pg_catalog.pg_constraint k CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS part (own, target)
      JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
      JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace
      JOIN pg_catalog.pg_attribute ta ON ta.attrelid = t.oid AND ta.attnum = part.target
     WHERE k.contype = 'f' ORDER BY k.conrelid, part.own, k.oid)
  SELECT c.nspname AS schema, c.relname AS table, a.attname AS name, coalesce(size.rows, 0)::bigint AS rows,
    base.typname AS type, format_type(a.atttypid, a.atttypmod) AS declared,
    CASE WHEN base.typname IN ('varchar', 'bpchar') AND a.atttypmod > 4 THEN a.atttypmod - 4 END AS length,
    ${POSTGRES_COLLATION} AS collation,
    NOT a.attnotnull AS nullable,
    a.attgenerated <> '' AS generated,
    CASE WHEN a.attgenerated = '' THEN pg_get_expr(e.adbin, e.adrelid) END AS default_sql,
    i.is_key, i.is_unique, i.is_identifying, i.is_primary, i.is_indexed,
    CASE WHEN a.attidentity <> '' THEN 'identity' END AS counter,
    CASE c.relkind WHEN 'r' THEN size.pages END AS pages,
    r.reference,
    CASE WHEN NOT (has_schema_privilege(c.schema_oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT'))
      THEN 'this role lacks SELECT' END AS unreadable,
    c.is_filtered, c.is_parent, c.is_child
  FROM tables c
  LEFT JOIN size ON size.oid = c.oid
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  JOIN pg_catalog.pg_type base ON base.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
  LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
  LEFT JOIN pg_catalog.pg_attrdef e ON e.adrelid = c.oid AND e.adnum = a.attnum
  LEFT JOIN indexed i ON i.indrelid = c.oid AND i.attnum = a.attnum
  LEFT JOIN referring r ON r.conrelid = c.oid AND r.attnum = a.attnum
  ORDER BY c.nspname, c.relname, a.attnum`
