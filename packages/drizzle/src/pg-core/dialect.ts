import { sql } from 'drizzle-orm'
import type { IdDialect } from '../dialect.js'
import { DEFAULT_SCHEMA, endingOf, sqlFunction } from '../sql-functions.js'

export const POSTGRES: IdDialect = {
  database: 'postgres',
  bytesLiteral: (hex) => `'\\x${hex}'`,
  generate: ({ storage }, { family, options: { schema = DEFAULT_SCHEMA, meta } }) =>
    sql`${sqlFunction(schema, family, `generate${endingOf(storage.name)}`)}(${sql.raw(String(meta ?? ''))})`,
}
