/** Whose schema changes. */
export type Orm = 'typeorm' | 'prisma' | 'drizzle'

/** The database that the schema describes: after `backfill`, after `switchKeys`, or after `finish`. */
export type Stage = 'backfilling' | 'switched' | 'finished'

/** How an ORM's schema changes, so that its next diff is empty. Names of properties are a suggestion. */
export interface SchemaChange {
  /** What stands in the place of a column's declaration; while backfilling, what comes beside it. */
  readonly columns: readonly {
    readonly table: string
    readonly column: string
    readonly lines: readonly string[]
  }[]
  /** Indexes that the table has besides: a decorator of the class, an attribute of the model, an entry of the table's list. */
  readonly indexes: readonly { readonly table: string; readonly line: string }[]
  /**
   * SQL of a migration: on a database without rows it makes the change, on one that has been adopted it does
   * nothing, on any other it refuses. Empty while backfilling.
   */
  readonly migration: string
}
