import * as core from 'drizzle-orm/pg-core'
import type { IdDialect } from '../id-column/dialect.js'

export const POSTGRES: IdDialect = {
  database: 'postgres',
  core,
  Column: core.PgColumn,
  Builder: core.PgColumnBuilder,
  // No codec for bytes: that of neon-http is `String`, which turns them into a list of numbers.
  codecOf: (storage) =>
    ({ text: 'text', uuid: 'uuid', uuid8: 'uuid', binary: undefined, bigint: 'bigint' })[storage],
}
