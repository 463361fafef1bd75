import type { Database } from '@snoflax/core'
import { literalOf } from '@snoflax/core/adapter'
import { type SQL, sql } from 'drizzle-orm'

/** A database value written into SQL, for defaults and views in a schema. */
export const literal = (value: unknown, database: Database): SQL => sql.raw(literalOf(value, database))
