import type { Database, StorageName } from '@snoflax/core'
import type { Column, ColumnBuilder, SQL } from 'drizzle-orm'

/** A class that we patch. */
export interface DrizzleClass {
  readonly name: string
  readonly prototype: object
}

/** What differs between Drizzle's dialects at run time. */
export interface IdDialect {
  readonly database: Database
  /** Drizzle's classes of the dialect. */
  readonly Column: abstract new (
    table: never,
    config: never,
  ) => Column
  readonly Builder: abstract new (...given: never) => ColumnBuilder
  readonly Dialect: DrizzleClass
  readonly Insert: DrizzleClass
  /** The dialect's methods that build relational queries. */
  readonly relationalMethods: readonly string[]
  /** The expression of an id, or a list, that is exact as JSON; undefined where it is exact itself. */
  inJson(storage: StorageName, expression: SQL, isList: boolean): SQL | undefined
}
