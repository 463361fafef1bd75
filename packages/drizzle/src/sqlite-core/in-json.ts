import { type Column, type SQL, sql } from 'drizzle-orm'
import { storageName } from '../column-ids.js'

/** JSON can't hold a BLOB, and its numbers are rounded above 2^53. */
export function inJson(column: Column): SQL | undefined {
  switch (storageName(column)) {
    case 'binary':
      return sql`'\\x' || nullif(hex(${column}), '')`
    case 'bigint':
      return sql`cast(${column} as text)`
    default:
      return undefined
  }
}
