import type { BackfillOptions, SwitchOptions } from './options.js'
import type { Orm, SchemaChange, Stage } from './schema-change.js'

/** A table and column whose values are replaced: a key, or a foreign key that leads to one. */
export interface ReplacedColumn {
  /** With its schema, in PostgreSQL. */
  readonly table: string
  /** The column's name. */
  readonly column: string
  /** Index, among the tables given, of the one whose key the values are. */
  readonly root: number
  /** Whether the column is that key itself. */
  readonly isRoot: boolean
  /** As declared, before the move. */
  readonly type: string
  /** Whether the column refuses null, and will again. */
  readonly notNull: boolean
}

/** How far an adoption is. `planned` has changed nothing yet. */
export type Phase = 'planned' | 'backfilling' | 'switched'

/** The move of some tables to ids of ours. Every step can be run again after a crash, by any process. */
export interface Adoption {
  /** How far it is. */
  readonly phase: Phase
  /** Keys and foreign keys, all that will change. */
  readonly columns: readonly ReplacedColumn[]
  /** Views, checks, policies and the like that the switch takes down and puts back: `view public.recent`. */
  readonly carried: readonly string[]
  /** What the steps run, as SQL to be read. */
  readonly sql: string
  /**
   * How an ORM's schema changes at a stage. Call it before `finish`, after which the plan is gone. PostgreSQL.
   *
   * @throws {IdError} for a key whose type the ORM has no name for, and in SQLite and MariaDB.
   */
  schemaChange(orm: Orm, stage: Stage): SchemaChange
  /**
   * Makes the new ids and foreign keys beside the old ones, in batches. The application goes on meanwhile.
   * After the switch there is nothing left to do.
   *
   * @throws {IdError} `INVALID_OPTION` while another session is at it; what `generator` throws.
   */
  backfill(options?: BackfillOptions): Promise<void>
  /**
   * Locks the tables, catches up, and gives the new columns the names and roles of the old ones, in one
   * transaction; in MariaDB in one RENAME TABLE, before which only writes are refused. Old columns stay as `legacy_…`.
   *
   * @throws {IdError} `INVALID_OPTION` before the backfill is through, or if the schema has changed since it
   * began.
   */
  switchKeys(options?: SwitchOptions): Promise<void>
  /**
   * Compares old and new, before the switch or after it. Only reads.
   *
   * @throws {IdError} before the backfill.
   */
  verify(): Promise<Verification>
  /**
   * Drops the old columns and all traces of the move, in one transaction; in MariaDB in one statement a table.
   *
   * @throws {IdError} before the switch, and for what uses old columns.
   */
  finish(options?: SwitchOptions): Promise<void>
  /** Before the switch: drops the new columns and all traces of the move. @throws {IdError} after it. */
  abandon(): Promise<void>
}

/** What comparing old and new keys found. */
export interface Verification {
  /** One for each table whose key is replaced. */
  readonly tables: readonly TableVerification[]
  /** What is wrong, in words; empty if nothing is. */
  readonly faults: readonly string[]
}

/** What was found in one table. */
export interface TableVerification {
  /** As it was given. */
  readonly table: string
  /** How many were compared. */
  readonly rows: number
  /** How far an id's time is from its row's, at most, in milliseconds. Up to a unit is the family's own. */
  readonly maxDriftMs: number
}
