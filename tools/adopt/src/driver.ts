import type { IdStorage } from '@snoflax/core'
import type { Phase, Stage } from './adoption.js'
import type { Obstacles } from './obstacles.js'
import type { BackfillOptions, ColumnTime } from './options.js'
import type { AddedIndex, ForeignKey, Key, Plan, RootPlan } from './plan.js'
import type { Work } from './work.js'

export interface Session {
  /** Parameters are `$1`, `$2`, … */
  query<Row>(sql: string, values?: readonly unknown[]): Work<Row[]>
  run(statements: readonly string[]): Work<void>
  /** A transaction that gives way to the application's, and may therefore be retried. */
  transaction<Result>(work: (attempt: number) => Work<Result>): Work<Result>
}

export interface Column {
  readonly name: string
  readonly type: string
  readonly notNull: boolean
}

/** A column of any table or view that the connection can see. */
export interface StoredColumn extends Key {
  readonly type: string
  /** What kind of values it has, as `kindOf` names them; `any` for a column without a type. */
  readonly kind: string
  /** Whether it is part of the primary key, and whether it is all of it. */
  readonly isInKey: boolean
  readonly isKey: boolean
  /** Whether it is in another database, which the adoption can't change. */
  readonly isElsewhere: boolean
  /** Whether it has rows of its own: views and partitions have none. */
  readonly hasRows: boolean
  /** Why its rows can't be read, and what to do. */
  readonly hidden: string | null
}

/** A column with the creation time, as SQL over its root's alias `t`. */
export interface TimeColumn extends Key, Pick<ColumnTime, 'unit' | 'timeZone'> {
  readonly sql: string
}

interface Catalog {
  /** The primary key of a table, by the name that was passed. @throws {IdError} for one that can't be replaced. */
  readKey(session: Session, given: string): Work<Key>
  readForeignKeys(session: Session): Work<readonly ForeignKey[]>
  readColumns(session: Session, table: string): Work<readonly Column[]>
  /** The columns of all tables, also of other schemas and databases. */
  readAllColumns(session: Session): Work<readonly StoredColumn[]>
}

export type DatabaseName = 'PostgreSQL' | 'SQLite' | 'MariaDB'

export interface Driver<Details = unknown> extends Session {
  readonly database: DatabaseName
  readonly catalog: Catalog
  /** Whether the backfill writes new values into columns beside the old ones. Otherwise ids stay in the map until the switch. */
  readonly hasNewColumns: boolean
  /** The heading of the switch in the printed plan. */
  readonly switchedBy: 'one transaction' | 'one RENAME'
  /** The type by which CAST converts any value to text. */
  readonly textType: 'text' | 'char'
  /** SQL of a value's text, to be compared exactly. */
  textOf(value: string): string
  /** The name of a table of ours: `state`, `round`, `map_1`. */
  own(name: string): string
  hasState(): Work<boolean>
  /** Runs statements that can be repeated after a crash: in one transaction, or one by one to hold fewer locks. */
  apply(statements: readonly string[]): Work<void>
  /** Called before rows are filled, and before every step of an adoption in progress. */
  prepare?(plan: Plan<Details>): void
  /** Runs a transaction in which no other session reads or writes the tables. */
  locked<Result>(plan: Plan<Details>, patience: Patience, work: () => Work<Result>): Work<Result>
  /** Statements with the quotes around names that any client's session takes, if those of ours differ. */
  forClients?(sql: string): string
  /** The tables that it locks. */
  blockedTables(plan: Plan<Details>): readonly string[]

  /** Reads the schema without changing anything. */
  peek<Result>(work: () => Work<Result>): Work<Result>
  /** @throws {IdError} for a default of a new key that the database refuses. */
  checkDefault?(table: string, value: string, type: string): Work<void>
  /** Notes the rights that the role lacks, for the plan and for the steps. */
  noteRights?(tables: readonly string[], obstacles: Obstacles): Work<void>
  /** Reads the database's part of the plan, and notes what the switch can't carry over. */
  detailsOf(
    plan: Pick<Plan<Details>, 'roots' | 'columns'>,
    obstacles: Obstacles,
    columns: readonly StoredColumn[],
  ): Work<Details>
  warningsOf?(details: Details): readonly string[]
  /** What a stage adds to the tables, and the ORM has to know of. */
  addedIndexes(plan: Plan<Details>, stage: Stage): readonly AddedIndex[]
  /** Our tables among the application's, until the adoption is finished. */
  ownTables(plan: Plan<Details>): readonly string[]
  migration(plan: Plan<Details>, stage: Exclude<Stage, 'backfilling'>): readonly string[]
  /** The parts of a plan that must not change between backfill and switch. */
  fixedDetails(details: Details): unknown
  /** Tries the switch as far as possible without rows, and notes what fails. Changes nothing. */
  rehearse?(plan: Plan<Details>, lockTimeoutMs: number, obstacles: Obstacles): Work<void>
  /** Broken foreign keys, and after the switch those that are missing or not enforced. */
  foreignKeyFaults(plan: Plan<Details>, phase: Phase): Work<string[]>

  /** SQL of a column's time in whole Unix milliseconds, NULL if it has none, and SQL to order by it. */
  timeOf(column: TimeColumn): Work<{ readonly timeMs: string; readonly order: string }>
  /** Old keys in the order of their texts or numbers. */
  keyOrder(root: RootPlan, column: string): string
  /** A page of keys in that order, as text, and the last one in the form to pass for the next page. */
  keysAfter(root: RootPlan, last: unknown, limit: number): Work<{ keys: string[]; last: unknown }>

  /** Notes the ids of a round's rows: in the new column, or in the map. */
  storeIds(root: RootPlan, map: string, storage: IdStorage<string>, rows: readonly MadeId[]): Work<void>
  isAnyTaken(root: RootPlan, map: string, storage: IdStorage<string>, ids: readonly string[]): Work<boolean>

  statements(plan: Plan<Details>): Statements
  /** Creates foreign keys and indexes of new columns, once they have ids. */
  fillReferences?(plan: Plan<Details>, options: BackfillOptions): Work<void>
  /** Prepares the switch as far as possible without locks. */
  prepareSwitch?(plan: Plan<Details>): Work<void>
  /** Drops old columns and all bookkeeping, or nothing. */
  finish(plan: Plan<Details>, patience: Patience): Work<void>
}

/** How long to try to lock tables, and how long an attempt may block others, if not as long as usual. */
export interface Patience {
  readonly lockTimeoutMs: number
  readonly blockForMs: number | undefined
}

export interface MadeId {
  readonly round: number
  readonly position: number
  readonly id: string
}

/** The statements of an adoption, except those for rows. */
export interface Statements {
  /** Creates the bookkeeping, and the map of each root: `round`, `position` within it, `key`, `time_ms`. */
  readonly create: readonly string[]
  /** New columns beside the old ones. */
  readonly expand: readonly string[]
  /** Indexes over them. */
  readonly index: readonly string[]
  readonly lock: readonly string[]
  /** Drops what depends on the columns first, so that all locks are taken before the long work. */
  readonly takeDown: readonly string[]
  /** Sets new foreign keys to the ids of the rows that the old ones reference. */
  readonly reconcile: readonly string[]
  readonly exchange: readonly string[]
  /** The statements that can run after the switch, without its locks. */
  readonly settle: readonly string[]
  /** Keeps old and new keys in tables of their own. */
  readonly keep: readonly string[]
  readonly finish: readonly string[]
  readonly abandon: readonly string[]
}

/** Opens a driver for one step. `isAlone` refuses it while another session runs the adoption. */
export type Open<Details> = <Result>(
  work: (driver: Driver<Details>) => Work<Result>,
  isAlone?: boolean,
) => Promise<Result>

/** The name of a root's map. */
export const mapOf = (db: Pick<Driver, 'own'>, root: number): string => db.own(`map_${root + 1}`)
