import type { BackfillOptions, SwitchOptions } from './options.js'

/** A table and column whose values are replaced: a key, or a foreign key that leads to one. */
export interface ReplacedColumn {
  readonly table: string
  readonly column: string
  /** Index, among the tables given, of the one whose key the values are. */
  readonly root: number
  /** Whether the column is that key itself. */
  readonly isRoot: boolean
  readonly notNull: boolean
}

/** How far an adoption is. `planned` has changed nothing yet. */
export type Phase = 'planned' | 'backfilling' | 'switched'

/** The move of some tables to ids of ours. Every step can be run again after a crash, by any process. */
export interface Adoption {
  readonly phase: Phase
  readonly columns: readonly ReplacedColumn[]
  /** What the steps run, as SQL to be read. */
  readonly sql: string
  /** Makes the new ids and foreign keys beside the old ones, in batches. The application goes on meanwhile. */
  backfill(options?: BackfillOptions): Promise<void>
  /**
   * Locks the tables, catches up, and gives the new columns the names and roles of the old ones, in one
   * transaction. Old columns stay as `legacy_…`.
   */
  switchKeys(options?: SwitchOptions): Promise<void>
  /** Compares old and new. */
  verify(): Promise<Verification>
  /** Drops the old columns and all traces of the move. */
  finish(): Promise<void>
  /** Before the switch: drops the new columns and all traces of the move. */
  abandon(): Promise<void>
}

export interface Verification {
  readonly tables: readonly TableVerification[]
  /** What is wrong, in words; empty if nothing is. */
  readonly faults: readonly string[]
}

export interface TableVerification {
  readonly table: string
  readonly rows: number
  /** How far an id's time is from its row's, at most, in milliseconds. Up to a unit is the family's own. */
  readonly maxDriftMs: number
}
