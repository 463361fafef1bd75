import { sql } from 'drizzle-orm'
import * as core from 'drizzle-orm/sqlite-core'
import type { IdDialect } from '../id-column/dialect.js'

export const SQLITE: IdDialect = {
  database: 'sqlite',
  core,
  Column: core.SQLiteColumn,
  Builder: core.SQLiteColumnBuilder,
  codecOf: (storage) => (storage === 'bigint' ? 'numeric:bigint' : undefined),
  // The codec of a BLOB decodes null as zero bytes.
  jsonOf: (storage) => (storage === 'binary' ? (id) => sql`'\\x' || nullif(hex(${id}), '')` : undefined),
}
