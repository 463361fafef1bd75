/** What runs SQL: better-sqlite3's Database, or node:sqlite's DatabaseSync. */
export interface SqliteConnection {
  /** Runs statements without parameters. */
  exec(sql: string): unknown
  /** One statement, to be run with parameters. */
  prepare(sql: string): {
    all(...values: never[]): unknown[]
    run(...values: never[]): unknown
    /** Of better-sqlite3. */
    safeIntegers?(toggle: boolean): unknown
    /** Of node:sqlite. */
    setReadBigInts?(enabled: boolean): unknown
  }
}

export type Row = Record<string, unknown>

/** A connection whose transactions are ours. */
export class Connection {
  constructor(private readonly connection: SqliteConnection) {}

  query<Result extends Row>(sql: string, values: readonly unknown[] = []): Result[] {
    const statement = this.connection.prepare(sql)
    // Where the connection is set to give bigints, flags and counts would be no numbers.
    statement.safeIntegers?.(false)
    statement.setReadBigInts?.(false)
    return statement.all(...(values as never[])) as Result[]
  }

  run(sql: string, values: readonly unknown[] = []): void {
    this.connection.prepare(sql).run(...(values as never[]))
  }

  runAll(statements: readonly string[]): void {
    for (const statement of statements) this.connection.exec(statement)
  }

  /** Takes the one write lock at once, so that what is read in it stays true. */
  transaction<T>(work: () => T): T {
    this.connection.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.connection.exec('COMMIT')
      return result
    } catch (error) {
      this.connection.exec('ROLLBACK')
      throw error
    }
  }
}
