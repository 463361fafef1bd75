import { isWord, openingOf, type SqlToken } from './read-sql.js'

/** A table or query that SQL reads from or writes to. All members are undefined where we can't tell what it is. */
export interface Source {
  /** The last part of its name, such as `orders` of `shop.orders`. */
  readonly table?: string | undefined
  /** The number of the chunk that it is. */
  readonly chunk?: number | undefined
  /** Its alias. */
  readonly alias?: string | undefined
  /** Whether the name is that of a query in WITH, whose own sources are among the others. */
  readonly isQuery?: boolean
}

const STATEMENTS = ['SELECT', 'WITH', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'REPLACE', 'VALUES', 'EXPLAIN']
const QUERIES = ['SELECT', 'WITH', 'VALUES', 'INSERT', 'UPDATE', 'DELETE']
const JOINS = ['JOIN', 'STRAIGHT_JOIN', 'INTO', 'TABLE']
/** What may stand between such a word and a table. */
const MODIFIERS = ['ONLY', 'LATERAL', 'IGNORE', 'LOW_PRIORITY', 'QUICK', 'OR', 'ROLLBACK', 'ABORT', 'FAIL']
const ENDS =
  /^(?:SELECT|WHERE|SET|GROUP|HAVING|ORDER|LIMIT|OFFSET|FETCH|FOR|RETURNING|WINDOW|VALUES|UNION|INTERSECT|EXCEPT|DUPLICATE|DO|;)$/i
/** Functions that return rows of what they are given. */
const ROWS = /^(?:jsonb?_(?:each|tree|table|array_elements|object_keys|to_record).*|unnest|generate_series)$/i

/** Whether SQL is a whole statement, whose text names all of its tables. */
export const isStatement = (tokens: readonly SqlToken[]): boolean =>
  isWord(
    tokens.find(({ text }) => text !== '('),
    ...STATEMENTS,
  )

/** All sources of SQL, those of its subqueries too. */
export function sourcesIn(
  tokens: readonly SqlToken[],
  chunkOf: (token: SqlToken) => number | undefined,
): readonly Source[] {
  const sources: Source[] = []
  const queries = new Set<string>()
  /** By the bracket around them: whether a comma leads to a source, and whether FROM does. */
  const inFrom = new Map<number, boolean>()
  const reading = new Set<number>()
  let isExpected = false
  for (const [at, token] of tokens.entries()) {
    const { open } = token
    const [before, next] = [tokens[at - 1], tokens[at + 1]]
    if (isExpected) {
      if (isWord(token, ...MODIFIERS) || (isWord(token, 'REPLACE') && isWord(before, 'OR'))) continue
      isExpected = token.text === '(' && !isWord(next, ...QUERIES)
      if (isExpected) inFrom.set(at, true)
      else if (token.text !== '(') sources.push(sourceAt(tokens, at, chunkOf))
      else reading.add(at)
      continue
    }
    if (isWord(token, 'SELECT', 'DELETE', 'UPDATE')) reading.add(open)
    if (token.kind === 'operator' ? token.text === ';' : ENDS.test(token.text)) inFrom.set(open, false)
    isExpected =
      token.text === ','
        ? inFrom.get(open) === true
        : isWord(token, ...JOINS) ||
          (isWord(token, 'FROM') && (open === -1 || reading.has(open)) && !isWord(before, 'DISTINCT')) ||
          (isWord(token, 'USING') && next?.text !== '(') ||
          (isWord(token, 'UPDATE') && !isWord(before, 'FOR', 'KEY', 'DO', 'THEN'))
    if (isExpected && isWord(token, 'FROM', 'USING', 'UPDATE')) inFrom.set(open, true)
    // MySQL has INSERT without INTO.
    if (isWord(token, 'INSERT', 'REPLACE') && next?.text !== '(' && !isInto(tokens, at)) sources.push({})
    if (isWord(token, 'AS')) {
      const name = before?.text === ')' ? tokens[openingOf(tokens, at - 1) - 1] : before
      const behind = tokens.slice(at + 1, at + 4).find((one) => !isWord(one, 'NOT', 'MATERIALIZED'))
      if (behind?.text === '(' && name?.kind === 'name') queries.add(keyOf(name.parts.at(-1)))
    }
  }
  return sources.map((one) => (queries.has(keyOf(one.table)) ? { ...one, isQuery: true } : one))
}

const isInto = (tokens: readonly SqlToken[], at: number): boolean =>
  tokens.slice(at + 1, at + 5).some((token) => isWord(token, 'INTO'))

function sourceAt(
  tokens: readonly SqlToken[],
  at: number,
  chunkOf: (token: SqlToken) => number | undefined,
): Source {
  const token = tokens[at] as SqlToken
  const next = tokens[at + 1]
  const named = isWord(next, 'AS') ? tokens[at + 2] : next
  const alias = named?.kind === 'name' ? named.parts.at(-1) : undefined
  const table = token.kind === 'name' ? token.parts.at(-1) : undefined
  const isCall = next?.text === '(' && !isWord(tokens[at - 1], 'INTO')
  if (isCall) return ROWS.test(table ?? '') ? { table, alias, isQuery: true } : {}
  if (next?.text === '.') return {}
  const chunk = chunkOf(token)
  return table === undefined && chunk === undefined ? {} : { table, chunk, alias }
}

const keyOf = (name: string | undefined): string => name?.toLowerCase() ?? ''
