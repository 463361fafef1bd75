/** The ORM whose schema changes. */
export type Orm = 'typeorm' | 'prisma' | 'drizzle' | 'kysely'

/** The state of the database that the schema describes: after `backfill`, `switchKeys` or `finish`. */
export type Stage = 'backfilling' | 'switched' | 'finished'

/** Changes to an ORM's schema, after which its next diff is empty. Names of properties are suggestions. */
export interface SchemaChange {
  /** Lines that replace a column's declaration; while backfilling, lines to add beside it: PostgreSQL only. */
  readonly columns: readonly {
    readonly table: string
    readonly column: string
    readonly lines: readonly string[]
  }[]
  /** Indexes to add: a decorator of TypeORM's class, an attribute of Prisma's model, an entry in Drizzle's list; none for Kysely. */
  readonly indexes: readonly { readonly table: string; readonly line: string }[]
  /**
   * Lines for `drizzle.config.ts` or `prisma.config.ts`, to keep until `finish`: they hide the adoption's own tables, which
   * the diff would drop. Empty for TypeORM, which ignores tables without an entity, for Kysely, and for PostgreSQL.
   */
  readonly config: readonly string[]
  /**
   * SQL statements for a migration, to run one by one. They make the change in a database whose tables are empty, and
   * fail in one with rows that has not been adopted. In one that has been adopted they do nothing; in SQLite they fail
   * there too: mark the migration as applied. Empty while backfilling.
   */
  readonly migration: readonly string[]
}
