import { type Column, type SQL, sql } from 'drizzle-orm'
import { storageName } from '../column-ids.js'

/** JSON would hold bytes as base64 or as broken text, and its numbers are rounded above 2^53. */
export function inJson(column: Column, expression: SQL): SQL | undefined {
  switch (storageName(column)) {
    case 'binary':
      // Not '\x': whether a backslash in a string escapes is a setting of the server.
      return sql`concat(char(92 using ascii), 'x', hex(${expression}))`
    case 'bigint':
      return sql`cast(${expression} as char)`
    default:
      return undefined
  }
}
