import * as core from 'drizzle-orm/mysql-core'
import type { IdDialect } from '../id-column/dialect.js'

export const MYSQL: IdDialect = {
  database: 'mysql',
  core,
  Column: core.MySqlColumn,
  Builder: core.MySqlColumnBuilder,
  codecOf: (storage) => (storage === 'binary' ? 'blob:buffer' : storage === 'bigint' ? 'bigint' : undefined),
}
