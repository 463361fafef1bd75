import type { Column } from '../columns/column.js'
import { quoteName } from '../columns/quote.js'
import type { Row } from '../live-database.js'

/** The columns of tables that this role may read; schema public goes without saying. */
export const columnsSql = `
  SELECT n.nspname AS schema, c.relname AS table, a.attname AS name, greatest(c.reltuples, 0)::bigint AS rows,
    base.typname AS type, format_type(a.atttypid, a.atttypmod) AS declared,
    CASE WHEN base.typname IN ('varchar', 'bpchar') AND a.atttypmod > 4 THEN a.atttypmod - 4 END AS length,
    CASE WHEN a.attcollation = 0 THEN NULL
      WHEN o.collname <> 'default' AND o.collprovider = 'c' THEN coalesce(o.collcollate, o.collname)
      WHEN o.collname <> 'default' THEN o.collname
      ELSE (SELECT CASE d.doc ->> 'datlocprovider'
              WHEN 'i' THEN 'icu ' || coalesce(d.doc ->> 'datlocale', d.doc ->> 'daticulocale', '')
              WHEN 'b' THEN 'C'
              ELSE d.doc ->> 'datcollate' END
            FROM (SELECT to_jsonb(d) AS doc FROM pg_catalog.pg_database d
                   WHERE d.datname = current_database()) d) END AS collation,
    NOT a.attnotnull AS nullable,
    CASE WHEN a.attgenerated = '' THEN pg_get_expr(e.adbin, e.adrelid) END AS default_sql,
    EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL
      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) AS is_key,
    EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL
      AND i.indkey[0] = a.attnum) AS is_indexed,
    (SELECT CASE tn.nspname WHEN 'public' THEN '' ELSE tn.nspname || '.' END || t.relname || '.' || ta.attname
       FROM pg_catalog.pg_constraint k
       JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
       JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace
       JOIN pg_catalog.pg_attribute ta ON ta.attrelid = t.oid
         AND ta.attnum = k.confkey[array_position(k.conkey, a.attnum)]
      WHERE k.contype = 'f' AND k.conrelid = c.oid AND a.attnum = ANY (k.conkey)
      ORDER BY k.oid LIMIT 1) AS references
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  JOIN pg_catalog.pg_type base ON base.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
  LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
  LEFT JOIN pg_catalog.pg_attrdef e ON e.adrelid = c.oid AND e.adnum = a.attnum
  WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhrelid = c.oid)
    AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
  ORDER BY n.nspname, c.relname, a.attnum`

export function toColumn(row: Row): Column {
  const [schema, table, name] = [row['schema'], row['table'], row['name']] as string[] as [
    string,
    string,
    string,
  ]
  return {
    table: schema === 'public' ? table : `${schema}.${table}`,
    name,
    quotedTable: `${quoteName(schema)}.${quoteName(table)}`,
    quotedName: quoteName(name),
    type: row['type'] as string,
    declared: row['declared'] as string,
    length: (row['length'] as number | null) ?? undefined,
    collation: (row['collation'] as string | null) ?? undefined,
    isNullable: row['nullable'] as boolean,
    defaultSql: (row['default_sql'] as string | null) ?? undefined,
    isKey: row['is_key'] as boolean,
    isIndexed: row['is_indexed'] as boolean,
    references: (row['references'] as string | null) ?? undefined,
    rows: Number(row['rows']),
  }
}
