/** The ORM whose schema changes. */
export type Orm = 'typeorm' | 'prisma' | 'drizzle'

/** The state of the database that the schema describes: after `backfill`, `switchKeys` or `finish`. */
export type Stage = 'backfilling' | 'switched' | 'finished'

/** Changes to an ORM's schema, after which its next diff is empty. Names of properties are suggestions. */
export interface SchemaChange {
  /** Lines that replace a column's declaration; while backfilling, lines to add beside it. */
  readonly columns: readonly {
    readonly table: string
    readonly column: string
    readonly lines: readonly string[]
  }[]
  /** Indexes to add: a decorator of TypeORM's class, an attribute of Prisma's model, an entry in Drizzle's list. */
  readonly indexes: readonly { readonly table: string; readonly line: string }[]
  /**
   * SQL for a migration. It makes the change in an empty database, does nothing in one that has been adopted, and fails
   * in any other. Empty while backfilling.
   */
  readonly migration: string
}
