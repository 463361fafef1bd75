import type { Clock, IdGenerator, StorageOptions } from '@snoflax/core'
import { checkOptions } from '@snoflax/core/adapter'
import { refuse } from './obstacles.js'

/** The source of each row's creation time, which its id will contain. Rows of equal time keep the order of their old keys. */
export type CreatedAt =
  /** A column with a date and time. */
  | string
  | ColumnTime
  /** The old key, if it contains the time and sorts by it: see `keyTime`. */
  | { readonly key: (oldKey: string) => number }
  /** If the time is unknown: spreads the rows evenly from one time to another, in the order of their old keys. */
  | { readonly from: Date; readonly to: Date }

/** A column with the creation time, and how to read it. */
export interface ColumnTime {
  /** The column's name. */
  readonly column: string
  /** A foreign key column, if `column` is in the table that it references: the time is the referenced row's. */
  readonly through?: string
  /** For a column of numbers: seconds or milliseconds since 1970. */
  readonly unit?: 's' | 'ms'
  /** The time zone of PostgreSQL's `timestamp` and MariaDB's `datetime`. Default `UTC`. SQLite: a text without a zone is UTC. */
  readonly timeZone?: string
}

/** A table whose key is replaced. Tables that only reference it are found and need no entry. */
export interface TableOptions extends StorageOptions {
  /** The table, with its schema where the search path doesn't lead to it: `shop.orders`. */
  readonly table: string
  /** When each row was created: the time of its new id. */
  readonly createdAt: CreatedAt
  /**
   * Creates the generator of the ids. It must use the clock that it is passed, and its ids for one time must ascend. Its
   * partition, worker or node must be used by no other generator and no other table.
   *
   * @example
   * const generator: TableOptions['generator'] = (clock) => sno.generator({ partition: 900, clock })
   */
  readonly generator: (clock: Clock) => IdGenerator<string>
  /** PostgreSQL: an SQL expression as the default of the new key. Without it, your application generates the ids. */
  readonly default?: string
}

/** Options of {@link planAdoption}. */
export interface AdoptionOptions {
  /** Tables whose keys are replaced. */
  readonly tables: readonly TableOptions[]
  /**
   * Columns that contain keys but have no foreign key, by `table.column`.
   *
   * @example
   * const references: AdoptionOptions['references'] = {
   *   'visits.customer_id': 'customers',
   *   'teams.member_ids': 'customers', // an array
   *   'notes.target_id': { type: 'target_type', tables: { Customer: 'customers', Country: null } },
   *   'events.payload': { paths: { '$.customer.id': 'customers', '$.orders[*]': 'orders' } },
   * }
   */
  readonly references?: Readonly<Record<string, Reference>>
  /** Columns and objects of the inventory that you take on, by name, such as `view public.recent`. They stay unchanged. */
  readonly ignore?: readonly string[]
  /**
   * How far, in milliseconds, the time in an id may be later than its row's, if more rows share a time than the family
   * has ids for it. Default 1000.
   */
  readonly maxDriftMs?: number
}

/**
 * The table whose keys a column contains, as values or in an array. With a type column: tables by its values, null for a
 * table whose keys stay. In JSON: tables by paths of names, which may end in `[*]`.
 */
export type Reference =
  | string
  | { readonly type: string; readonly tables: Readonly<Record<string, string | null>> }
  | { readonly paths: Readonly<Record<string, string>> }

/** Default of `maxDriftMs`. */
export const MAX_DRIFT_MS = 1000

/** Options of `backfill`. */
export interface BackfillOptions {
  /** Rows in one transaction. Default 1000. */
  readonly batchSize?: number
  /** Called after each batch. */
  readonly onProgress?: (progress: Progress) => void
  /** Stops after the current batch; a later `backfill` continues from there. */
  readonly signal?: { throwIfAborted(): void }
}

/** @throws {IdError} also for batches of no rows, which would never finish. */
export function checkBackfill(options: BackfillOptions): void {
  checkOptions('backfill', options, { batchSize: 'number', onProgress: 'function', signal: 'any' })
  const { batchSize = 1 } = options
  if (Number.isSafeInteger(batchSize) && batchSize > 0) return
  refuse('backfill', 'batchSize must be an integer, 1 or more', batchSize)
}

/** Options of `switchKeys` and `finish`. */
export interface SwitchOptions {
  /**
   * How long to wait for the locks, in milliseconds. Default 5000. PostgreSQL: each attempt blocks other sessions for at
   * most half a second; after the last one it throws the server's error 55P03, nothing has changed, and you can run it
   * again. MariaDB: each statement tries for a second at a time, then throws error 1205. SQLite: set `busy_timeout`
   * instead.
   */
  readonly lockTimeoutMs?: number
  /**
   * If the tables are in use all the time: how long one attempt may block other sessions, in milliseconds, instead of half
   * a second. Meanwhile everyone who uses the tables waits, and PostgreSQL may cancel one of two transactions that wait
   * for each other.
   */
  readonly blockForMs?: number
}

/** The progress of one table, after each batch. */
export interface Progress {
  /** The table, as in {@link ReplacedColumn}. */
  readonly table: string
  /** The columns being filled: the key, or foreign keys. */
  readonly columns: readonly string[]
  /** How many of `total` are done: rows for a key, blocks of the table for foreign keys in PostgreSQL. */
  readonly done: number
  /** How many there were when the round began. */
  readonly total: number
  /** 1 for the rows that existed at the start, 2 and up for rows inserted since. */
  readonly round: number
}
