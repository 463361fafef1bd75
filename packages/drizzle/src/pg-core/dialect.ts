import { sql } from 'drizzle-orm'
import { PgColumn, PgColumnBuilder, PgDialect, PgInsertBase } from 'drizzle-orm/pg-core'
import type { IdDialect } from '../id-column/dialect.js'

export const POSTGRES: IdDialect = {
  database: 'postgres',
  Column: PgColumn,
  Builder: PgColumnBuilder,
  Dialect: PgDialect,
  Insert: PgInsertBase,
  relationalMethods: ['buildRelationalQueryWithoutPK'],
  /** JSON numbers are rounded above 2^53; bytes and uuids are text there already. */
  inJson(storage, expression, isList) {
    if (storage !== 'bigint') return undefined
    return isList ? sql`(${expression})::text[]` : sql`(${expression})::text`
  },
}
