import { IdError } from '@snoflax/core'
import type { SqlValue } from './values.js'

/** A better-sqlite3 connection, or one of a fork with the same two methods. */
export interface SqliteConnection {
  /** Defines a function of SQL. */
  function(
    name: string,
    options: { deterministic: boolean; safeIntegers: boolean },
    call: (...values: SqlValue[]) => SqlValue,
  ): unknown
  /** Defines a table-valued function. */
  table(
    name: string,
    definition: {
      parameters: string[]
      columns: string[]
      rows(...values: unknown[]): Generator<SqlValue[]>
    },
  ): unknown
}

/** An SQL function. If any argument is NULL, the result is NULL without a call. */
export interface SqlFunction {
  readonly name: string
  readonly required: number
  /** How many of the last arguments are optional. */
  readonly optional: number
  /** Whether equal arguments have equal results, as indexes and generated columns require. */
  readonly deterministic: boolean
  call(...values: SqlValue[]): SqlValue
}

/** A function with the same result at each call. */
export const pure = (name: string, call: SqlFunction['call'], required = 1, optional = 0): SqlFunction => ({
  name,
  required,
  optional,
  deterministic: true,
  call,
})

/** A function with a new result at each call. */
export const volatile = (...definition: Parameters<typeof pure>): SqlFunction => ({
  ...pure(...definition),
  deterministic: false,
})

export function defineFunction(
  db: SqliteConnection,
  name: string,
  { required, optional, deterministic, call }: SqlFunction,
): void {
  const place = `${name}()`
  for (let arity = required; arity <= required + optional; arity++) {
    const checked = (...values: SqlValue[]): SqlValue =>
      values.includes(null) ? null : placed(place, () => call(...values))
    // better-sqlite3 reads the number of arguments here. SQLite itself refuses calls with another one.
    Object.defineProperty(checked, 'length', { value: arity })
    db.function(name, { deterministic, safeIntegers: true }, checked)
  }
}

/** Rows of ids, for SELECT id FROM name(n). SQLite itself returns none if a parameter is NULL. */
export function defineTable(
  db: SqliteConnection,
  name: string,
  parameters: string[],
  ids: (...values: SqlValue[]) => Generator<SqlValue>,
): void {
  db.table(name, {
    parameters,
    columns: ['id'],
    *rows(...values) {
      const rows = ids(...(values as SqlValue[]))
      const next = () => placed(`${name}()`, () => rows.next())
      for (let row = next(); !row.done; row = next()) yield [row.value]
    },
  })
}

/** Runs the work. Its errors name the function, and have no `statusCode`: an argument may come from a table. */
function placed<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof IdError)) throw error
    const { code, message, value, field = 'argument' } = error
    throw new IdError(code, `${path}: ${message}`, { ...error, value, field, path, cause: error })
  }
}
