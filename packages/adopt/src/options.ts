import type { Clock, IdGenerator, StorageOptions } from '@snoflax/core'
import { refuse } from './obstacles.js'

/** Where the time of a row's id comes from. Rows of equal time keep the order of their old keys. */
export type CreatedAt =
  /** A column that holds a date and time. */
  | string
  | ColumnTime
  /** The old key carries the time, and sorts by it: see `keyTime`. */
  | { readonly key: (oldKey: string) => number }
  /** Nothing tells the time: spread evenly from one moment to another, in the order of the old keys. */
  | { readonly from: Date; readonly to: Date }

/** A column that holds the time, with what has to be known of it. */
export interface ColumnTime {
  /** Its name. */
  readonly column: string
  /** The foreign key column that leads to the table which has `column`: the time of the related row. */
  readonly through?: string
  /** What a column of numbers counts since 1970: seconds or milliseconds. */
  readonly unit?: 's' | 'ms'
  /** The zone of a `timestamp` without one in PostgreSQL, of a `datetime` in MariaDB. Default `UTC`. SQLite: texts without a zone are UTC. */
  readonly timeZone?: string
}

/** A table whose key is replaced. Tables with foreign keys to it are found and need no entry. */
export interface TableOptions extends StorageOptions {
  /** The table, with its schema where the search path doesn't lead to it: `shop.orders`. */
  readonly table: string
  /** When each row was made, which becomes the time of its id. */
  readonly createdAt: CreatedAt
  /**
   * Makes the ids, at the times that the clock tells; ids for one moment must ascend. Its partition, worker
   * or node is one that no other generator has, nor another table.
   *
   * @example
   * const generator: TableOptions['generator'] = (clock) => sno.generator({ partition: 900, clock })
   */
  readonly generator: (clock: Clock) => IdGenerator<string>
  /** PostgreSQL: default of the new key, as SQL. Without it, the application makes the ids. */
  readonly default?: string
}

/** What is moved. */
export interface AdoptionOptions {
  /** Tables whose keys are replaced. */
  readonly tables: readonly TableOptions[]
  /** PostgreSQL and SQLite: triggers on the tables that you looked at: they fire in the backfill and stay as they are. */
  readonly allowTriggers?: readonly string[]
  /**
   * How far, in milliseconds, ids may run ahead of their row's time, where more rows share a moment than the
   * family has ids for it. Default 1000.
   */
  readonly maxDriftMs?: number
}

/** Default of `maxDriftMs`. */
export const MAX_DRIFT_MS = 1000

/** How the new ids and foreign keys are made. */
export interface BackfillOptions {
  /** Rows in one transaction. Default 1000. */
  readonly batchSize?: number
  /** Called after each batch. */
  readonly onProgress?: (progress: Progress) => void
  /** Stops after the batch that runs; a later `backfill` goes on from there. */
  readonly signal?: { throwIfAborted(): void }
}

/** @throws {IdError} for a batch that would hold no rows: there would be no end of them. */
export function checkBatchSize({ batchSize = 1 }: BackfillOptions): void {
  if (Number.isSafeInteger(batchSize) && batchSize > 0) return
  refuse('backfill', 'batchSize must be an integer, 1 or more', batchSize)
}

/** How new columns take the place of old ones. */
export interface SwitchOptions {
  /**
   * PostgreSQL: how long to try for the locks, in milliseconds. Others wait for half a second at a time.
   * Default 5000; then it is the server's error 55P03, nothing has changed, and it can be run again. MariaDB:
   * how long each statement tries, a second at a time; then error 1205. SQLite: see `busy_timeout`.
   */
  readonly lockTimeoutMs?: number
}

/** How far one table is, after each batch. */
export interface Progress {
  /** As in {@link ReplacedColumn}. */
  readonly table: string
  /** What is filled: the key, or foreign key columns. */
  readonly columns: readonly string[]
  /** Of `total`, how many are done: rows of a key, blocks of the table for foreign keys in PostgreSQL. */
  readonly done: number
  /** How many there were when the round began. */
  readonly total: number
  /** 1 for the rows that were there at the start, 2 and up for those that came meanwhile. */
  readonly round: number
}
