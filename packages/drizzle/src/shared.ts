import type { Database } from '@snoflax/core'
import type { SqlIds } from '@snoflax/core/adapter'
import type { Column, Table } from 'drizzle-orm'
import type { ColumnIds } from './id-column/ids.js'

/** The id columns of a kind of database. */
export interface Declared {
  add(ids: ColumnIds): void
  /** Those whose storage is known, by name. */
  current(): SqlIds
}

interface Shared {
  /** The id columns of each kind of database. */
  readonly declared: Map<Database, Declared>
  /** The files that build the SQL of patched copies of Drizzle. */
  readonly patched: Set<string>
  /** The columns with a check of each table whose constraints are watched. */
  readonly checked: WeakMap<Table, Column[]>
  /** How many dialects build relational queries with times and compact ids. */
  related: number
  /** Whether a patched copy is building SQL. */
  isBuilding: boolean
  /** Whether an insert is being prepared, and may be executed repeatedly. */
  isPreparing: boolean
}

const SHARED: unique symbol = Symbol.for('@snoflax/drizzle 1') as never
const all = globalThis as { [SHARED]?: Shared }
all[SHARED] ??= {
  declared: new Map(),
  patched: new Set(),
  checked: new WeakMap(),
  related: 0,
  isBuilding: false,
  isPreparing: false,
}
/**
 * What the copies of this package in a process share, such as those of `import` and `require`: each class of Drizzle is
 * patched by one of them, which need not be the one that patched the others, or the one that defines the table.
 */
export const shared: Shared = all[SHARED]
