import type { Column } from '../columns/column.js'
import type { LiveDatabase, Row } from '../live-database.js'
import { quote } from './columns.js'

/** A foreign key, as the statements that drop it and bring it back. */
export interface ForeignKey {
  readonly drop: string
  readonly add: string
}

/** The foreign keys that have one of the columns at either end. */
export async function foreignKeysOf(
  database: LiveDatabase,
  columns: readonly Column[],
): Promise<ForeignKey[]> {
  const rows = await database.query(`
    SELECT k.constraint_name AS name, k.table_name AS source, k.column_name AS own,
      k.referenced_table_name AS target, k.referenced_column_name AS theirs, r.update_rule AS on_update,
      r.delete_rule AS on_delete
      FROM information_schema.key_column_usage k
      JOIN information_schema.referential_constraints r ON r.constraint_schema = k.constraint_schema
        AND r.constraint_name = k.constraint_name AND r.table_name = k.table_name
     WHERE k.table_schema = database()
     ORDER BY k.table_name, k.constraint_name, k.ordinal_position`)
  const keys = new Map<string, Row[]>()
  for (const row of rows) {
    const name = JSON.stringify([row['source'], row['name']])
    keys.set(name, [...(keys.get(name) ?? []), row])
  }
  return [...keys.values()].filter((parts) => parts.some((part) => touches(part, columns))).map(toForeignKey)
}

const touches = (part: Row, columns: readonly Column[]): boolean =>
  columns.some(
    ({ table, name }) =>
      (part['source'] === table && part['own'] === name) ||
      (part['target'] === table && part['theirs'] === name),
  )

function toForeignKey(parts: readonly Row[]): ForeignKey {
  const { source, name, target, on_update, on_delete } = parts[0] as Record<string, string>
  const list = (field: string): string => parts.map((part) => quote(part[field] as string)).join(', ')
  const table = quote(source as string)
  return {
    drop: `ALTER TABLE ${table} DROP FOREIGN KEY ${quote(name as string)}`,
    add:
      `ALTER TABLE ${table} ADD CONSTRAINT ${quote(name as string)} FOREIGN KEY (${list('own')}) ` +
      `REFERENCES ${quote(target as string)} (${list('theirs')}) ON UPDATE ${on_update} ON DELETE ${on_delete}`,
  }
}
