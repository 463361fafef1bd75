import type { Database } from '@snoflax/core'
import type { NamedColumns, NamedSource } from '@snoflax/core/adapter'
import type { Column, SQL, Table } from 'drizzle-orm'

/** The parts of a query's or write's configuration that say where its columns come from. */
export interface Selecting {
  readonly table: unknown
  readonly from?: unknown
  readonly joins?: readonly { readonly table: unknown }[] | undefined
  readonly withList?: readonly unknown[] | undefined
  /** The other queries of a union. Their rows are read by the fields of the first. */
  readonly setOperators?: readonly unknown[]
}

/** A statement that is being built. */
export interface Statement {
  /** The database whose dialect builds it; undefined if it is none of ours. */
  readonly database: Database | undefined
  /** The tables that its names of columns can mean. */
  sources(database: Database): readonly NamedSource[] | undefined
  /** Its aliases of ids, in subqueries too. */
  aliases(database: Database): NamedColumns
}

/** What patches a table's copies of Drizzle, once. */
export interface Hooks {
  /**
   * For a column whose storage converts: encodes every value that a query compares with an id column, writes ids into
   * views, and keeps them exact in the JSON of relational queries.
   */
  converting(): void
  /** For `createdAt()` in `extras` of relational queries, whose decoders Drizzle 0.45 drops. */
  extras(): void
}

interface Shared {
  /** The id columns of each kind of database by their names, for SQL whose text names them. */
  readonly named: Map<Database, NamedColumns>
  /** The files that build the SQL of patched copies of Drizzle. */
  readonly patched: Set<string>
  /** The columns with a check of each table whose constraints are watched. */
  readonly checked: WeakMap<Table, Column[]>
  /** The fields of selections, since Drizzle replaces columns by bare names there. */
  readonly selections: WeakMap<SQL, readonly unknown[]>
  /** What is being built, the innermost first: a subquery can name the columns of the query around it. */
  selecting: readonly Selecting[]
  /** The statement being built. Each part of it is bound separately, but may use aliases that other parts declare. */
  statement: Statement | undefined
  /** How many of our methods are running. */
  building: number
  /** Whether the insert being built is prepared, and may be executed repeatedly. */
  isPreparing: boolean
}

const SHARED: unique symbol = Symbol.for('@snoflax/drizzle 1') as never
const all = globalThis as { [SHARED]?: Shared }
all[SHARED] ??= {
  named: new Map(),
  patched: new Set(),
  checked: new WeakMap(),
  selections: new WeakMap(),
  selecting: [],
  statement: undefined,
  building: 0,
  isPreparing: false,
}
/**
 * What the copies of this package in a process share, such as those of `import` and `require`: each class of Drizzle is
 * patched by one of them, which need not be the one that patched the others, or the one that defines the table.
 */
export const shared: Shared = all[SHARED]
