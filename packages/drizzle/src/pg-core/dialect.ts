import { sql } from 'drizzle-orm'
import * as core from 'drizzle-orm/pg-core'
import type { IdDialect } from '../id-column/dialect.js'

export const POSTGRES: IdDialect = {
  database: 'postgres',
  core,
  prefix: 'Pg',
  Column: core.PgColumn,
  Builder: core.PgColumnBuilder,
  // No codec for bytes: that of neon-http is `String`, which turns them into a list of numbers.
  codecOf: (storage) =>
    ({ text: 'text', uuid: 'uuid', uuid8: 'uuid', binary: undefined, bigint: 'bigint' })[storage],
  relationalMethods: ['buildRelationalQueryWithoutPK'],
  /** JSON numbers are rounded above 2^53; bytes and uuids are text there already. */
  inJson(storage, expression, isList) {
    if (storage !== 'bigint') return undefined
    return isList ? sql`(${expression})::text[]` : sql`(${expression})::text`
  },
}
