import type { Database, StorageName } from '@snoflax/core'
import type { Column, ColumnBuilder, SQL } from 'drizzle-orm'

/** What differs between Drizzle's dialects at run time. */
export interface IdDialect {
  readonly database: Database
  /** Drizzle's module of the dialect. */
  readonly core: object
  /** How the names of its classes begin. */
  readonly prefix: string
  readonly Column: abstract new (table: never, config: never) => Column
  readonly Builder: abstract new (...given: never) => ColumnBuilder
  /** How Drizzle 1.0 names the types that its drivers and its JSON treat in ways of their own. */
  codecOf(storage: StorageName): string | undefined
  /** What makes it exact as JSON in Drizzle 1.0, where no codec does. */
  jsonOf?(storage: StorageName): ((identifier: SQL) => SQL) | undefined
  /** The methods of the dialect of Drizzle 0.45 that build relational queries. */
  readonly relationalMethods: readonly string[]
  /** The expression of an id, or a list, that is exact as JSON; undefined where it is exact itself. */
  inJson(storage: StorageName, expression: SQL, isList: boolean): SQL | undefined
}
