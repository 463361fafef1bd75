import { type RegisterOptions, registerSnoflax } from '@snoflax/better-sqlite3'
import { IdError } from '@snoflax/core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { expect } from 'vitest'
import { FAMILIES, hexText } from './families.js'

/** What an expression gives: bytes as `\x` hex, or how it is refused. */
export type Outcome = string | bigint | number | null | { readonly refused: string }

/** A database with the functions, and expressions of `?` run on it. */
export class Sql {
  readonly #statements = new Map<string, { get(...values: unknown[]): unknown }>()

  private constructor(readonly database: SqliteDatabase) {}

  static async open(options?: RegisterOptions): Promise<Sql> {
    const database = await sqlite.open()
    registerSnoflax(database.connection, { families: FAMILIES.map(({ family }) => family), ...options })
    return new Sql(database)
  }

  /** The one value of an expression. */
  value(expression: string, ...values: unknown[]): unknown {
    return this.#statement(expression).get(...values)
  }

  outcome(expression: string, ...values: unknown[]): Outcome {
    return outcome(() => this.value(expression, ...values))
  }

  gives(expression: string, values: readonly unknown[], expected: Outcome): void {
    expect(this.outcome(expression, ...values), `${expression} of ${values.join()}`).toEqual(expected)
  }

  refuses(expression: string, values: readonly unknown[], code: string): void {
    this.gives(expression, values, { refused: code })
  }

  close(): Promise<void> {
    return this.database.close()
  }

  #statement(expression: string): { get(...values: unknown[]): unknown } {
    let statement = this.#statements.get(expression)
    if (!statement) {
      statement = this.database.connection.prepare(`SELECT ${expression}`).pluck().safeIntegers()
      this.#statements.set(expression, statement)
    }
    return statement
  }
}

/** Bytes as hex, and an IdError by its code. */
export function outcome(work: () => unknown): Outcome {
  try {
    const value = work()
    return value instanceof Uint8Array ? hexText(value) : (value as Outcome)
  } catch (error) {
    if (error instanceof IdError) return { refused: error.code }
    throw error
  }
}
