import type { OpenDatabase } from '@snoflax/test'

interface Check {
  readonly input: string | null
  readonly expected: string | null
}

/**
 * Expressions of `$1`, a text, with what they give as text or the SQLSTATE that they are refused with. Run in few
 * queries: one for each expression.
 */
export class Checks {
  readonly #gives = new Map<string, Check[]>()
  readonly #refuses = new Map<string, Check[]>()

  get size(): number {
    return [...this.#gives.values(), ...this.#refuses.values()].reduce((sum, { length }) => sum + length, 0)
  }

  gives(expression: string, input: string | null, expected: string | null): void {
    collect(this.#gives, expression, { input, expected })
  }

  refuses(expression: string, input: string, sqlState: string): void {
    collect(this.#refuses, expression, { input, expected: `!${sqlState}` })
  }

  /** What does not hold, in words. */
  async failures(database: OpenDatabase): Promise<string[]> {
    const failures: string[] = []
    for (const [expression, checks] of this.#gives) {
      const values = await this.#values(database, expression, checks)
      failures.push(...differences(expression, checks, values))
    }
    for (const [expression, checks] of this.#refuses) {
      failures.push(...differences(expression, checks, await attempts(database, expression, checks)))
    }
    return failures
  }

  async #values(database: OpenDatabase, expression: string, checks: readonly Check[]): Promise<unknown[]> {
    const sql = `SELECT (${expression.replaceAll('$1', 'input')})::text AS value
                   FROM unnest($1::text[]) WITH ORDINALITY AS given(input, n) ORDER BY n`
    try {
      const rows = await database.query(sql, [checks.map(({ input }) => input)])
      return rows.map((row) => row['value'])
    } catch {
      // One of them was refused. Which one?
      const told = await attempts(database, expression, checks)
      return told.map((text) => (typeof text === 'string' && text.startsWith('=') ? text.slice(1) : text))
    }
  }
}

function collect(into: Map<string, Check[]>, expression: string, check: Check): void {
  const checks = into.get(expression)
  if (checks) checks.push(check)
  else into.set(expression, [check])
}

async function attempts(
  database: OpenDatabase,
  expression: string,
  checks: readonly Check[],
): Promise<unknown[]> {
  const rows = await database.query(
    'SELECT attempt($1, input) AS told FROM unnest($2::text[]) WITH ORDINALITY AS given(input, n) ORDER BY n',
    [expression, checks.map(({ input }) => input)],
  )
  return rows.map((row) => row['told'])
}

function differences(expression: string, checks: readonly Check[], got: readonly unknown[]): string[] {
  if (got.length !== checks.length) return [`${expression}: ${got.length} answers to ${checks.length} inputs`]
  return checks.flatMap(({ input, expected }, n) =>
    got[n] === expected ? [] : [`${expression} of ${input} is ${got[n]}, not ${expected}`],
  )
}
