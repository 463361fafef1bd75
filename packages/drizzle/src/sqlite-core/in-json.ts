import { type Column, type SQL, sql } from 'drizzle-orm'
import { storageName } from '../column-ids.js'

/** JSON can't hold a BLOB, and its numbers are rounded above 2^53. */
export function inJson(column: Column, expression: SQL): SQL | undefined {
  switch (storageName(column)) {
    case 'binary':
      return sql`'\\x' || nullif(hex(${expression}), '')`
    case 'bigint':
      return sql`cast(${expression} as text)`
    default:
      return undefined
  }
}
