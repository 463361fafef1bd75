import type { Database } from '@snoflax/core'

/** A table with its key and the bytes that both take. */
export interface TableSize {
  readonly tableBytes: number
  /** 0 where the table is its own index. */
  readonly indexBytes: number
}

/** One column of rows to be inserted: its type in the database, and a value for each row. */
export interface ColumnValues {
  readonly type: string
  readonly values: readonly unknown[]
}

/** What the demo asks of a database. Statements have their parameters as $1, $2, …, each used once and in order. */
export interface Engine {
  readonly name: string
  readonly version: string
  readonly database: Database
  /** Whether integers above 2^53 come back exact. */
  readonly exactBigint: boolean
  /** Type of a random UUID's column, and of one that keeps it as 36 characters. */
  readonly uuidTypes: readonly string[]
  run(sql: string): Promise<void>
  query(sql: string, parameters?: readonly unknown[]): Promise<unknown[][]>
  insert(table: string, columns: readonly ColumnValues[]): Promise<void>
  /** How the database would answer the query. */
  explain(sql: string, parameters: readonly unknown[]): Promise<string[]>
  /** Whether that goes through the table's primary key. */
  isByKey(plan: readonly string[], table: string): boolean
  size(table: string): Promise<TableSize>
  close(): Promise<void>
}
