import type { InventoryRow } from './inventory.js'
import type { BackfillOptions, SwitchOptions } from './options.js'

/** A column whose values are replaced: a primary key, or a foreign key to one. */
export interface ReplacedColumn {
  /** The table; in PostgreSQL with its schema, such as `public.orders`. */
  readonly table: string
  /** The column's name. */
  readonly column: string
  /** The index in `tables` of the table whose key the column contains. */
  readonly root: number
  /** Whether the column is that key itself. */
  readonly isRoot: boolean
  /** The declared type before the adoption. */
  readonly type: string
  /** Whether the column is NOT NULL, before the adoption and after it. */
  readonly notNull: boolean
  /** Set for a column without a foreign key: it is declared in `references`. */
  readonly isDeclared?: true
  /** How the column contains keys, if not as plain values. */
  readonly via?: Via
}

/** A column that contains keys in another way than as plain values; tables by their index in `tables`. */
export type Via =
  | { readonly kind: 'array' }
  /** Another column names the table. Null: that table's keys stay. */
  | {
      readonly kind: 'type'
      readonly column: string
      readonly roots: Readonly<Record<string, number | null>>
    }
  | { readonly kind: 'json'; readonly paths: Readonly<Record<string, number>> }

/** The progress of an adoption. While `planned`, nothing has changed. */
export type Phase = 'planned' | 'backfilling' | 'switched'

/** Replaces the keys of some tables with our ids. After a crash, run the step again, from any process. */
export interface Adoption {
  /** The current phase. */
  readonly phase: Phase
  /** All keys and foreign keys that will change. */
  readonly columns: readonly ReplacedColumn[]
  /** Every column that contains keys, or may do so, and all code that uses one, each with a verdict. */
  readonly inventory: readonly InventoryRow[]
  /**
   * The tables `_adopted_…` in which `finish` keeps old and new keys, with the columns `old` and `new`. Drop them when you
   * need no old key any more. As SQL writes their names.
   */
  readonly mappings: readonly string[]
  /** The tables that nobody else can write during the switch, nor read, except in MariaDB. */
  readonly blocked: readonly string[]
  /** What the steps would break outside of this database, such as a subscriber of a publication, and how to prevent it. */
  readonly warnings: readonly string[]
  /** The SQL of all steps, to review before you run them. */
  readonly sql: string
  /**
   * The changes to your ORM's schema at each stage. Call it before `finish`, which deletes the plan.
   *
   * @throws {IdError} for a key whose type the ORM can't declare.
   */
  schemaChange(orm: Orm, stage: Stage): SchemaChange
  /**
   * Generates the new ids, in batches, while your application keeps running: PostgreSQL stores them in new columns beside
   * the old ones, SQLite and MariaDB in a table of their own until the switch. After the switch it does nothing.
   *
   * @throws {IdError} `INVALID_OPTION` while another session runs this adoption; and what `generator` throws.
   */
  backfill(options?: BackfillOptions): Promise<void>
  /**
   * Locks the tables, generates the ids of the newest rows, and renames the new columns to the old names, with their
   * constraints, in one transaction. MariaDB: one RENAME TABLE; until then reads work and writes fail with error 1205.
   * The old columns stay as `legacy_…`.
   *
   * @throws {IdError} `INVALID_OPTION` before the backfill has finished, or if the schema has changed since it began.
   */
  switchKeys(options?: SwitchOptions): Promise<void>
  /**
   * Compares old and new keys, before or after the switch. Reads only. Before the switch, rows inserted since the backfill
   * wait for an id: that is no fault.
   *
   * @throws {IdError} before the backfill.
   */
  verify(): Promise<Verification>
  /**
   * Drops the old columns and all bookkeeping, in one transaction; in MariaDB with one statement per table.
   *
   * @throws {IdError} before the switch, and if anything still uses an old column.
   */
  finish(options?: SwitchOptions): Promise<void>
  /** Cancels: drops the new columns and all bookkeeping. @throws {IdError} after the switch. */
  abandon(): Promise<void>
}

/** The result of `verify`. */
export interface Verification {
  /** One entry for each table whose key is replaced. */
  readonly tables: readonly TableVerification[]
  /** What is wrong, one sentence each; empty if nothing is. */
  readonly faults: readonly string[]
}

/** The result of `verify` for one table. */
export interface TableVerification {
  /** The name that you passed. */
  readonly table: string
  /** How many rows were compared. */
  readonly rows: number
  /** How many rows have no id yet, before the switch. */
  readonly waiting: number
  /** The largest difference between the times of a row and its id, in milliseconds. The family's unit alone causes some. */
  readonly maxDriftMs: number
}

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
