import type { Database, StorageName } from '@snoflax/core'
import type { Column, SQL } from 'drizzle-orm'

/** The differences between Drizzle's dialects at run time. */
export interface IdDialect {
  readonly database: Database
  /** Drizzle's module of the dialect. */
  readonly core: object
  /** The start of its classes' names. */
  readonly prefix: string
  readonly Column: abstract new (table: never, config: never) => Column
  readonly Builder: abstract new (...given: never) => object
  /** The types that Drizzle 1.0's drivers and JSON treat specially, by its names. */
  codecOf(storage: StorageName): string | undefined
  /** Makes it exact in JSON in Drizzle 1.0, if no codec does. */
  jsonOf?(storage: StorageName): ((identifier: SQL) => SQL) | undefined
  /** The methods of the dialect of Drizzle 0.45 that build relational queries. */
  readonly relationalMethods: readonly string[]
  /** An expression of an id or a list, made exact in JSON; undefined if it already is. */
  inJson(storage: StorageName, expression: SQL, isList: boolean): SQL | undefined
}

/** What patches a table's copies of Drizzle, once. */
export interface Hooks {
  /**
   * For a column whose storage converts: encodes values of raw SQL beside id columns, writes ids into views, and keeps
   * them exact in the JSON of Drizzle 0.45's relational queries.
   */
  converting(): void
  /** For `createdAt()` in `extras` of relational queries, whose decoders Drizzle 0.45 drops. */
  extras(): void
  /** For a column whose conditions take any text: its writes are still checked. */
  checkedWrites(): void
}
