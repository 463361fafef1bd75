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
    columns: async () => (await query(COLUMNS)).map((row) => toColumn(row, quoteName)),
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
      "SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL TimeZone = 'UTC'; SET LOCAL bytea_output = 'hex'",
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
  await client.query('SAVEPOINT before_query')
  try {
    const { rows } = await client.query<Row>(sql, parameters && [...parameters])
    await client.query('RELEASE SAVEPOINT before_query')
    return rows
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

/** Rows are estimated as the planner does. */
const COLUMNS = `
  WITH size AS MATERIALIZED (
    SELECT c.oid, sum(pg_relation_size(leaf.oid) / ${BLOCKS}
        * CASE WHEN leaf.relpages > 0 AND leaf.reltuples >= 0 THEN leaf.reltuples / leaf.relpages ELSE ${UNKNOWN_DENSITY} END) AS rows
      FROM pg_catalog.pg_class c
      CROSS JOIN LATERAL (SELECT c.oid WHERE c.relkind = 'r'
        UNION ALL SELECT relid FROM pg_partition_tree(c.oid) WHERE c.relkind = 'p' AND isleaf) AS part (oid)
      JOIN pg_catalog.pg_class leaf ON leaf.oid = part.oid
     WHERE c.relkind IN ('r', 'p') GROUP BY c.oid)
  SELECT n.nspname AS schema, c.relname AS table, a.attname AS name, coalesce(size.rows, 0)::bigint AS rows,
    base.typname AS type, format_type(a.atttypid, a.atttypmod) AS declared,
    CASE WHEN base.typname IN ('varchar', 'bpchar') AND a.atttypmod > 4 THEN a.atttypmod - 4 END AS length,
    ${POSTGRES_COLLATION} AS collation,
    NOT a.attnotnull AS nullable,
    a.attgenerated <> '' AS generated,
    CASE WHEN a.attgenerated = '' THEN pg_get_expr(e.adbin, e.adrelid) END AS default_sql,
    EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) AS is_key,
    EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid
      AND i.indpred IS NULL AND a.attnum = ANY (i.indkey)) AS is_unique,
    CASE WHEN a.attidentity <> '' THEN 'identity' END AS counter,
    CASE c.relkind WHEN 'r' THEN pg_relation_size(c.oid) / ${BLOCKS} END AS pages,
    EXISTS (SELECT FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
      JOIN pg_catalog.pg_am m ON m.oid = x.relam WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL
      AND i.indkey[0] = a.attnum AND m.amname = 'btree' AND i.indcollation[0] = a.attcollation) AS is_indexed,
    (SELECT CASE tn.nspname WHEN 'public' THEN '' ELSE tn.nspname || '.' END || t.relname || '.' || ta.attname
       FROM pg_catalog.pg_constraint k
       JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
       JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace
       JOIN pg_catalog.pg_attribute ta ON ta.attrelid = t.oid
         AND ta.attnum = k.confkey[array_position(k.conkey, a.attnum)]
      WHERE k.contype = 'f' AND k.conrelid = c.oid AND a.attnum = ANY (k.conkey)
      ORDER BY k.oid LIMIT 1) AS reference,
    CASE WHEN NOT (has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT'))
        THEN 'this role lacks SELECT'
      WHEN row_security_active(c.oid) THEN 'row-level security hides rows from this role' END AS hidden
  FROM pg_catalog.pg_class c
  LEFT JOIN size ON size.oid = c.oid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  JOIN pg_catalog.pg_type base ON base.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
  LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
  LEFT JOIN pg_catalog.pg_attrdef e ON e.adrelid = c.oid AND e.adnum = a.attnum
  WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhrelid = c.oid)
    AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  ORDER BY n.nspname, c.relname, a.attnum`
