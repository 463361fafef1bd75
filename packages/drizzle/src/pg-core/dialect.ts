import { checkDatabaseGenerator } from '@snoflax/core'
import { sql } from 'drizzle-orm'
import type { IdDialect } from '../dialect.js'
import { DEFAULT_SCHEMA, endingOf, sqlFunction } from '../sql-functions.js'

export const POSTGRES: IdDialect = {
  database: 'postgres',
  generate({ storage }, { family, options: { schema = DEFAULT_SCHEMA, meta } }) {
    checkDatabaseGenerator(family)
    const generate = sqlFunction(schema, family, `generate${endingOf(storage.name)}`)
    return sql`${generate}(${sql.raw(String(meta ?? ''))})`
  },
}
