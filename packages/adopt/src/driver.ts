import type { IdStorage } from '@snoflax/core'
import type { Phase } from './adoption.js'
import type { Obstacles } from './obstacles.js'
import type { BackfillOptions, ColumnTime } from './options.js'
import type { AddedIndex, ForeignKey, Key, Plan, RootPlan } from './plan.js'
import type { Stage } from './schema-change.js'
import type { Work } from './work.js'

/** Runs statements on one connection. */
export interface Session {
  /** Parameters are `$1`, `$2`, … */
  query<Row>(sql: string, values?: readonly unknown[]): Work<Row[]>
  run(statements: readonly string[]): Work<void>
  /** A transaction that gives way to the application's, and so may be tried more than once. */
  transaction<Result>(work: (attempt: number) => Work<Result>): Work<Result>
}

export interface Column {
  readonly name: string
  /** As declared. */
  readonly type: string
  readonly notNull: boolean
}

/** A column that tells a time, as SQL over its root's alias `t`. */
export interface TimeColumn extends Key, Pick<ColumnTime, 'unit' | 'timeZone'> {
  readonly sql: string
}

/** What a database's schema says. */
interface Catalog {
  /** The primary key of a table as it is given. @throws {IdError} for one that can't be moved. */
  readKey(session: Session, given: string): Work<Key>
  readForeignKeys(session: Session): Work<readonly ForeignKey[]>
  readColumns(session: Session, table: string): Work<readonly Column[]>
}

export type DatabaseName = 'PostgreSQL' | 'SQLite' | 'MariaDB'

/** What a database brings to an adoption: all that the engine can't say in SQL that every database takes. */
export interface Driver<Details = unknown> extends Session {
  readonly database: DatabaseName
  readonly catalog: Catalog
  /** Whether new values are filled in beside the old ones before the switch. Else ids wait in the map. */
  readonly hasNewColumns: boolean
  /** What the switch is, in a plan that is read. */
  readonly switchedBy: 'one transaction' | 'one RENAME'
  /** What CAST turns any value to, for text. */
  readonly textType: 'text' | 'char'
  /** The name of a table of ours: `state`, `round`, `map_1`. */
  own(name: string): string
  hasState(): Work<boolean>
  /** Statements that can be run again after a crash: all at once, or one by one where locks would be in the way. */
  apply(statements: readonly string[]): Work<void>
  /** Before rows are filled, and for every step on a plan that is under way. */
  prepare?(plan: Plan<Details>): void
  /** A transaction in which nobody else reads or writes the tables. */
  locked<Result>(plan: Plan<Details>, lockTimeoutMs: number, work: () => Work<Result>): Work<Result>

  /** Reads the schema and leaves nothing behind. */
  peek<Result>(work: () => Work<Result>): Work<Result>
  /** @throws {IdError} for a default of a new key that the database does not take. */
  checkDefault?(table: string, value: string, type: string): Work<void>
  /** Notes what the switch could not carry over. */
  detailsOf(
    plan: Omit<Plan<Details>, 'details'>,
    allowTriggers: readonly string[],
    obstacles: Obstacles,
  ): Work<Details>
  /** What the switch takes down and puts back, by name. */
  carriedIn?(details: Details): readonly string[]
  /** What the steps would break elsewhere. */
  warningsIn?(details: Details): readonly string[]
  /** What a stage adds to the tables, and the ORM has to know of. */
  addedIndexes(plan: Plan<Details>, stage: Stage): readonly AddedIndex[]
  /** Tables of ours among the application's, until the adoption is finished. */
  ownTables(plan: Plan<Details>): readonly string[]
  /** Statements for the ORM's migration: see `SchemaChange`. */
  migration(plan: Plan<Details>, stage: Exclude<Stage, 'backfilling'>): readonly string[]
  /** What has to be the same from the backfill to the switch. */
  fixedDetails(details: Details): unknown
  /** Tries the switch as far as it can be without rows, and notes what does not come through. Changes nothing. */
  rehearse?(plan: Plan<Details>, lockTimeoutMs: number, obstacles: Obstacles): Work<void>
  /** Foreign keys that are broken, or not in force as they should be after the switch. */
  foreignKeyFaults(plan: Plan<Details>, phase: Phase): Work<string[]>

  /** Whole Unix milliseconds of a column, NULL where it has no time, and what orders by it. */
  timeOf(column: TimeColumn): Work<{ readonly timeMs: string; readonly order: string }>
  /** Old keys in the order of their texts or numbers. */
  keyOrder(root: RootPlan, column: string): string
  /** A page of keys in that order, as text, and the last one as it is to be given for the next page. */
  keysAfter(root: RootPlan, last: unknown, limit: number): Work<{ keys: string[]; last: unknown }>

  /** Notes the ids of a round's rows: in the new column, or in the map. */
  storeIds(root: RootPlan, map: string, storage: IdStorage<string>, rows: readonly MadeId[]): Work<void>
  isAnyTaken(root: RootPlan, map: string, storage: IdStorage<string>, ids: readonly string[]): Work<boolean>

  statements(plan: Plan<Details>): Statements
  /** Foreign keys and indexes of new columns, once the ids are there. */
  fillReferences?(plan: Plan<Details>, options: BackfillOptions): Work<void>
  /** What has to be there before the locks are taken. */
  prepareSwitch?(plan: Plan<Details>): Work<void>
  /** Drops old columns and all traces at once, or nothing. */
  finish(plan: Plan<Details>, lockTimeoutMs: number): Work<void>
}

/** The place of a row in its round, and the id made for it. */
export interface MadeId {
  readonly round: number
  readonly position: number
  readonly id: string
}

/** What an adoption runs, but for the rows. */
export interface Statements {
  /** Makes what is kept of an adoption, and the map of each root: `round`, `position` within it, `key`, `time_ms`. */
  readonly create: readonly string[]
  /** New columns beside the old ones. */
  readonly expand: readonly string[]
  /** Indexes over them. */
  readonly index: readonly string[]
  readonly lock: readonly string[]
  /** What hangs on columns goes first, so that its locks are taken before the work that takes long. */
  readonly takeDown: readonly string[]
  /** Makes new foreign keys what the old ones are now. */
  readonly reconcile: readonly string[]
  readonly exchange: readonly string[]
  /** What can be done after the switch, without locks. */
  readonly settle: readonly string[]
  readonly finish: readonly string[]
  readonly abandon: readonly string[]
}

/** Lends a driver for one step. `isAlone` refuses it while another session is at it. */
export type Open<Details> = <Result>(
  work: (driver: Driver<Details>) => Work<Result>,
  isAlone?: boolean,
) => Promise<Result>

/** The map of a root's rows. */
export const mapName = (number: number): string => `map_${number + 1}`
