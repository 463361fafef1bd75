import type { Session } from '../driver.js'
import type { Work } from '../work.js'

/** better-sqlite3's Database, or node:sqlite's DatabaseSync. */
export interface SqliteConnection {
  /** Runs statements without parameters. */
  exec(sql: string): unknown
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement
}

/** A prepared statement of better-sqlite3 or node:sqlite. */
export interface SqliteStatement {
  /** Runs the statement with these values and returns its rows. */
  all(...values: never[]): unknown[]
  /** Runs a statement that returns no rows. */
  run(...values: never[]): unknown
  /** better-sqlite3: whether the statement returns rows. */
  readonly reader?: boolean
  /** better-sqlite3: whether to return integers as bigints. */
  safeIntegers?(toggle: boolean): unknown
  /** node:sqlite: whether to return integers as bigints. */
  setReadBigInts?(enabled: boolean): unknown
}

/** A connection on which only we run transactions. */
export class SqliteSession implements Session {
  constructor(private readonly connection: SqliteConnection) {}

  /** `exactIntegers` returns integers as bigints. */
  *query<Row>(sql: string, values: readonly unknown[] = [], exactIntegers = false): Work<Row[]> {
    const statement = this.connection.prepare(sql)
    // Otherwise flags and counts would be bigints if the connection is set to return them.
    statement.safeIntegers?.(exactIntegers)
    statement.setReadBigInts?.(exactIntegers)
    const given = values.length > 0 ? [named(values)] : []
    const rows =
      statement.reader === false ? statement.run(...(given as never[])) : statement.all(...(given as never[]))
    return (yield rows) as Row[]
  }

  *runEach(sql: string, rows: readonly (readonly unknown[])[]): Work<void> {
    const statement = this.connection.prepare(sql)
    for (const values of rows) yield statement.run(named(values) as never)
  }

  *run(statements: readonly string[]): Work<void> {
    for (const statement of statements) yield this.connection.exec(statement)
  }

  *apply(statements: readonly string[]): Work<void> {
    if (statements.length > 0) yield* this.transaction(() => this.run(statements))
  }

  /** Takes the write lock at its start, so that what it reads stays true. */
  *transaction<Result>(work: (attempt: number) => Work<Result>): Work<Result> {
    yield* this.run(['BEGIN IMMEDIATE'])
    try {
      const result = yield* work(1)
      yield* this.run(['COMMIT'])
      return result
    } catch (error) {
      yield* this.rollback()
      throw error
    }
  }

  peek<Result>(work: () => Work<Result>): Work<Result> {
    return work()
  }

  /** If SQLite has already rolled back, as on a full disk, the first error is the cause. */
  private *rollback(): Work<void> {
    try {
      yield* this.run(['ROLLBACK'])
    } catch {}
  }
}

/** The values by the numbers in `$1`, `$2`, … */
const named = (values: readonly unknown[]): Record<number, unknown> =>
  Object.fromEntries(values.map((value, i) => [i + 1, value]))
