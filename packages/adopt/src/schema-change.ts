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
   * Lines for `drizzle.config.ts` or `prisma.config.ts`, until `finish`: they hide the adoption's own tables, which the next
   * diff would drop. Empty for TypeORM, which leaves unknown tables alone, and for PostgreSQL, where they have a schema.
   */
  readonly config: readonly string[]
  /**
   * SQL statements for a migration, to be run one by one in this order. They make the change in a database whose tables
   * are empty. In one that has been adopted they do nothing, but SQLite has no statement for that: there they fail, and
   * the migration has to be marked as applied. They fail in any other. Empty while backfilling.
   */
  readonly migration: readonly string[]
}
