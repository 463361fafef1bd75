import type { SqlValue } from './values.js'

/** A function of SQL. NULL in any argument gives NULL without a call. */
export interface SqlFunction {
  readonly name: string
  readonly required: number
  /** Arguments that may be left out, from the last one. */
  readonly optional: number
  /** Whether equal arguments give equal results: what indexes and generated columns ask for. */
  readonly deterministic: boolean
  call(...values: SqlValue[]): SqlValue
}

/** Rows of one column, `id`, for SELECT … FROM name(…). SQLite itself gives none for NULL in a parameter. */
export interface SqlTable {
  readonly name: string
  readonly parameters: readonly string[]
  ids(...values: SqlValue[]): Generator<SqlValue>
}

/** A function that tells the same at each call. */
export const pure = (name: string, call: SqlFunction['call'], required = 1, optional = 0): SqlFunction => ({
  name,
  required,
  optional,
  deterministic: true,
  call,
})

/** A function that gives something new at each call. */
export const volatile = (...definition: Parameters<typeof pure>): SqlFunction => ({
  ...pure(...definition),
  deterministic: false,
})
