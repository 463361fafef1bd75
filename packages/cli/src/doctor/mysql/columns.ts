import type { Column } from '../columns/column.js'
import type { Row } from '../live-database.js'

/** The columns of the tables of this connection's database; those that are computed are mended where they come from. */
export const columnsSql = `
  SELECT c.table_name AS table_name, c.column_name AS name, c.data_type AS type, c.column_type AS declared,
    c.character_maximum_length AS length, c.collation_name AS collation, c.is_nullable = 'YES' AS nullable,
    c.column_default AS default_sql, t.table_rows AS row_count,
    EXISTS (SELECT 1 FROM information_schema.statistics s WHERE s.table_schema = c.table_schema
      AND s.table_name = c.table_name AND s.column_name = c.column_name AND s.non_unique = 0 AND s.seq_in_index = 1
      AND NOT EXISTS (SELECT 1 FROM information_schema.statistics o WHERE o.table_schema = s.table_schema
        AND o.table_name = s.table_name AND o.index_name = s.index_name AND o.seq_in_index > 1)) AS is_key,
    EXISTS (SELECT 1 FROM information_schema.statistics s WHERE s.table_schema = c.table_schema
      AND s.table_name = c.table_name AND s.column_name = c.column_name AND s.seq_in_index = 1) AS is_indexed,
    (SELECT concat(k.referenced_table_name, '.', k.referenced_column_name)
       FROM information_schema.key_column_usage k
      WHERE k.table_schema = c.table_schema AND k.table_name = c.table_name AND k.column_name = c.column_name
        AND k.referenced_table_schema = c.table_schema LIMIT 1) AS reference
  FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  WHERE c.table_schema = database() AND t.table_type = 'BASE TABLE' AND coalesce(c.generation_expression, '') = ''
  ORDER BY c.table_name, c.ordinal_position`

export const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/** Sizes of text and blob differ in their names only. */
const bareType = (type: string): string =>
  type.toLowerCase().replace(/^(?:tiny|medium|long)(?=text|blob)/, '')

export function toColumn(row: Row): Column {
  const [table, name] = [String(row['table_name']), String(row['name'])]
  return {
    table,
    name,
    quotedTable: quote(table),
    quotedName: quote(name),
    type: bareType(String(row['type'])),
    declared: String(row['declared']),
    length: row['length'] == null ? undefined : Number(row['length']),
    collation: row['collation'] == null ? undefined : String(row['collation']),
    isNullable: Boolean(Number(row['nullable'])),
    // MariaDB says NULL of a column that has no other default.
    defaultSql:
      row['default_sql'] == null || row['default_sql'] === 'NULL' ? undefined : String(row['default_sql']),
    isKey: Boolean(Number(row['is_key'])),
    isIndexed: Boolean(Number(row['is_indexed'])),
    references: row['reference'] == null ? undefined : String(row['reference']),
    rows: Number(row['row_count'] ?? 0),
  }
}
