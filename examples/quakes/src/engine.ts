import type { Database } from '@snoflax/core'

/** The sizes of a table and its key, in bytes. */
export interface TableSize {
  readonly tableBytes: number
  /** 0 if the table is its own index. */
  readonly indexBytes: number
}

/** One column of rows to be inserted: its type in the database, and a value for each row. */
export interface ColumnValues {
  readonly type: string
  readonly values: readonly unknown[]
}

/** The functions that the demo needs from a database. Parameters are $1, $2, …, each used once and in order. */
export interface Engine {
  readonly name: string
  readonly version: string
  readonly database: Database
  /** Whether integers above 2^53 are returned exactly. */
  readonly exactBigint: boolean
  /** The column types of a random UUID: native, and as 36 characters. */
  readonly uuidTypes: readonly string[]
  run(sql: string): Promise<void>
  query(sql: string, parameters?: readonly unknown[]): Promise<unknown[][]>
  insert(table: string, columns: readonly ColumnValues[]): Promise<void>
  /** The query's plan. */
  explain(sql: string, parameters: readonly unknown[]): Promise<string[]>
  /** Whether the plan uses the table's primary key. */
  isByKey(plan: readonly string[], table: string): boolean
  size(table: string): Promise<TableSize>
  close(): Promise<void>
}
