import { type Column, type SQL, sql } from 'drizzle-orm'
import { storageName } from '../column-ids.js'

/** JSON numbers are rounded above 2^53; bytes and uuids are text there already. */
export function inJson(column: Column, expression: SQL): SQL | undefined {
  if (storageName(column) !== 'bigint') return undefined
  return column.dataType === 'array' ? sql`(${expression})::text[]` : sql`(${expression})::text`
}
