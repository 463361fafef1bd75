import type { Database, StorageName } from '@snoflax/core'
import type { Column, SQL } from 'drizzle-orm'

/** The differences between Drizzle's dialects at run time. */
export interface IdDialect {
  readonly database: Database
  /** Drizzle's module of the dialect. */
  readonly core: {
    check(name: string, value: SQL): object
    getTableConfig(table: never): TableConfig
  }
  readonly Column: abstract new (table: never, config: never) => Column
  readonly Builder: abstract new (...args: never) => object
  /** The types that Drizzle 1.0's drivers and JSON treat specially, by its names. */
  codecOf(storage: StorageName): string | undefined
  /** Makes an id exact in JSON in Drizzle 1.0, if no codec does. */
  jsonOf?(storage: StorageName): ((identifier: SQL) => SQL) | undefined
}

/** A table's constraints and indexes, alike in all dialects. */
export interface TableConfig {
  readonly columns: readonly Column[]
  readonly primaryKeys: readonly { readonly columns: readonly Column[] }[]
  readonly uniqueConstraints: readonly { readonly columns: readonly Column[] }[]
  /** The columns of an index are stand-ins with a name, or SQL. */
  readonly indexes: readonly {
    readonly config: { readonly unique?: boolean; readonly columns: readonly object[] }
  }[]
  readonly foreignKeys: readonly {
    reference(): { readonly columns: readonly Column[]; readonly foreignColumns: readonly Column[] }
  }[]
}
