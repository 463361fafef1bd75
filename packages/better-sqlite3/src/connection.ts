import { withPath } from '@snoflax/core/adapter'
import type { SqlFunction, SqlTable } from './sql-function.js'
import type { SqlValue } from './values.js'

/** What is used of a better-sqlite3 connection. A fork with the same two methods serves as well. */
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

export function defineFunction(db: SqliteConnection, defined: SqlFunction): void {
  const { name, required, optional, deterministic, call } = defined
  const place = `${name}()`
  for (let arity = required; arity <= required + optional; arity++) {
    const checked = (...values: SqlValue[]): SqlValue =>
      values.includes(null) ? null : withPath(place, () => call(...values))
    // better-sqlite3 reads the number of arguments here. SQLite itself refuses calls with another one.
    Object.defineProperty(checked, 'length', { value: arity })
    db.function(name, { deterministic, safeIntegers: true }, checked)
  }
}

export function defineTable(db: SqliteConnection, { name, parameters, ids }: SqlTable): void {
  db.table(name, {
    parameters: [...parameters],
    columns: ['id'],
    *rows(...values) {
      const made = ids(...(values as SqlValue[]))
      const next = () => withPath(`${name}()`, () => made.next())
      for (let row = next(); !row.done; row = next()) yield [row.value]
    },
  })
}
