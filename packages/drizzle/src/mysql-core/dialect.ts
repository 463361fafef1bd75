import { sql } from 'drizzle-orm'
import * as core from 'drizzle-orm/mysql-core'
import type { IdDialect } from '../id-column/dialect.js'

export const MYSQL: IdDialect = {
  database: 'mysql',
  core,
  prefix: 'MySql',
  Column: core.MySqlColumn,
  Builder: core.MySqlColumnBuilder,
  codecOf: (storage) => (storage === 'binary' ? 'blob:buffer' : storage === 'bigint' ? 'bigint' : undefined),
  relationalMethods: ['buildRelationalQuery', 'buildRelationalQueryWithoutLateralSubqueries'],
  /** JSON would contain bytes as base64 or broken text, and its numbers are rounded above 2^53. */
  inJson(storage, expression) {
    // Not '\x': whether a backslash in a string escapes is a setting of the server.
    if (storage === 'binary') return sql`concat(char(92 using ascii), 'x', hex(${expression}))`
    return storage === 'bigint' ? sql`cast(${expression} as char)` : undefined
  },
}
