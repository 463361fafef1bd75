import { sql } from 'drizzle-orm'
import { SQLiteColumn, SQLiteColumnBuilder, SQLiteDialect, SQLiteInsertBase } from 'drizzle-orm/sqlite-core'
import type { IdDialect } from '../id-column/dialect.js'

export const SQLITE: IdDialect = {
  database: 'sqlite',
  Column: SQLiteColumn,
  Builder: SQLiteColumnBuilder,
  Dialect: SQLiteDialect,
  Insert: SQLiteInsertBase,
  relationalMethods: ['buildRelationalQuery'],
  /** JSON can't hold a BLOB, and its numbers are rounded above 2^53. */
  inJson(storage, expression) {
    if (storage === 'binary') return sql`'\\x' || nullif(hex(${expression}), '')`
    return storage === 'bigint' ? sql`cast(${expression} as text)` : undefined
  },
}
