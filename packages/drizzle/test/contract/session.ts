import type { OpenDatabase } from '@snoflax/test'
import type { Variant } from '@snoflax/test/contract'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { Schema } from './schema.js'

export type Database = PgDatabase<PgQueryResultHKT, Schema>

/** Drizzle on a database that has the contract's schema. The dialects' own types differ, the calls don't. */
export interface Session {
  readonly db: Database
  readonly schema: Schema
  /** Where min and max come from: the database, or for uuid and bytea the SQL package. */
  readonly variant: Variant
  readonly database: OpenDatabase
}
