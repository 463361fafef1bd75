import type { Database } from '@snoflax/core'
import type { Column } from './columns/column.js'

export type Row = Record<string, unknown>

/** A connection that only reads. */
export interface LiveDatabase {
  readonly kind: Database
  /** Kind and version. */
  readonly label: string
  /** Runs one statement, with `?` (SQLite, MySQL) or `$1` (PostgreSQL) for parameters. */
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  /** The rows of a query, some thousands at a time. */
  batches(sql: string): AsyncIterable<readonly Row[]>
  /** The columns of the user's tables. Partitions are left out, their parents stand for them. */
  columns(): Promise<Column[]>
  /** The condition that a column is one of as many parameters. */
  isOneOf(column: string, count: number): string
  close(): Promise<void>
}
