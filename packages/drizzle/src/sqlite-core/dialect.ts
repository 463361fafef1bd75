import { type SQL, sql } from 'drizzle-orm'
import * as core from 'drizzle-orm/sqlite-core'
import type { IdDialect } from '../id-column/dialect.js'

export const SQLITE: IdDialect = {
  database: 'sqlite',
  core,
  prefix: 'SQLite',
  Column: core.SQLiteColumn,
  Builder: core.SQLiteColumnBuilder,
  codecOf: (storage) => (storage === 'bigint' ? 'numeric:bigint' : undefined),
  // The codec of a BLOB decodes null as zero bytes.
  jsonOf: (storage) => (storage === 'binary' ? (id) => SQLITE.inJson('binary', id, false) as SQL : undefined),
  relationalMethods: ['buildRelationalQuery'],
  /** JSON can't contain a BLOB, and its numbers are rounded above 2^53. */
  inJson(storage, expression) {
    if (storage === 'binary') return sql`'\\x' || nullif(hex(${expression}), '')`
    return storage === 'bigint' ? sql`cast(${expression} as text)` : undefined
  },
}
