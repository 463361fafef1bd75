import { isWord, openingOf, type SqlToken } from './read-sql.js'

/** A table or query that SQL reads from or writes to. All members are undefined where we can't tell what it is. */
export interface Source {
  /** The last part of its name, such as `orders` of `shop.orders`. */
  readonly table?: string | undefined
  /** The part before it. */
  readonly schema?: string | undefined
  /** The number of the chunk that it is. */
  readonly chunk?: number | undefined
  /** Its alias. */
  readonly alias?: string | undefined
  /** Whether it is a query, whose own sources are among the others. */
  readonly isQuery?: boolean
  /** Whether its columns may have other names than those of the tables, as in `orders AS o (key)` or in a union. */
  readonly isRenamed?: boolean
}

const STATEMENTS = ['SELECT', 'WITH', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'REPLACE', 'VALUES', 'EXPLAIN']
const QUERIES = ['SELECT', 'WITH', 'VALUES', 'INSERT', 'UPDATE', 'DELETE', 'TABLE', 'MERGE']
const JOINS = ['JOIN', 'STRAIGHT_JOIN', 'INTO', 'TABLE']
/** What may stand between such a word and a table. */
const MODIFIERS = ['ONLY', 'LATERAL', 'IGNORE', 'LOW_PRIORITY', 'QUICK', 'OR', 'ROLLBACK', 'ABORT', 'FAIL']
const ENDS =
  /^(?:SELECT|WHERE|SET|GROUP|HAVING|ORDER|LIMIT|OFFSET|FETCH|FOR|RETURNING|WINDOW|VALUES|UNION|INTERSECT|EXCEPT|DUPLICATE|DO|;)$/i
/** What may stand in place of an alias. */
const NO_ALIAS =
  /^(?:ON|USING|AS|JOIN|STRAIGHT_JOIN|LEFT|RIGHT|INNER|CROSS|FULL|NATURAL|PARTITION|TABLESAMPLE|USE|FORCE|IGNORE|NOT|INDEXED|DEFAULT|WITH|WHEN|AND|OR)$/i
/** `FOR` inside FROM, of MySQL and MariaDB: `FOR SYSTEM_TIME AS OF …`, `USE INDEX FOR JOIN (…)`. */
const IN_FROM = ['SYSTEM_TIME', 'PORTION', 'JOIN', 'ORDER', 'GROUP']
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
  const sources: (Source & { readonly at: number })[] = []
  const add = (at: number, source: Source) => sources.push({ ...source, at })
  /** The queries in WITH, with the position from which their names mean them. */
  const queries = new Map<string, number>()
  const isRecursive = tokens.some((token, at) => isWord(token, 'RECURSIVE') && isWord(tokens[at - 1], 'WITH'))
  /** The open brackets, and what to do at the end of some. */
  const brackets: number[] = []
  const atEnd = new Map<number, (at: number) => void>()
  /** By the bracket around them: whether a comma leads to a source, and whether FROM does. */
  const inFrom = new Map<number, boolean>()
  const reading = new Set<number>()
  let isExpected = false
  for (const [at, token] of tokens.entries()) {
    const { open } = token
    const [before, next] = [tokens[at - 1], tokens[at + 1]]
    if (token.text === '(') brackets.push(at)
    else if (token.text === ')') atEnd.get(brackets.pop() ?? -1)?.(at)
    if (isExpected) {
      if (isWord(token, ...MODIFIERS) || (isWord(token, 'REPLACE') && isWord(before, 'OR'))) continue
      isExpected = token.text === '(' && !isWord(next, ...QUERIES)
      if (token.text === '(') {
        if (isExpected) inFrom.set(at, true)
        else reading.add(at)
        atEnd.set(at, (end) => add(end, { ...aliasAt(tokens, end + 1), isQuery: true }))
      } else if (next?.text === '(' && !isWord(before, 'INTO')) {
        const rows = rowsOf(token)
        atEnd.set(at + 1, (end) => add(end, { ...aliasAt(tokens, end + 1), ...rows }))
      } else add(at, sourceAt(tokens, at, chunkOf))
      continue
    }
    if (isWord(token, 'SELECT', 'DELETE', 'UPDATE')) reading.add(open)
    // A word before a comma is an alias.
    if (token.kind === 'operator' ? token.text === ';' : ENDS.test(token.text) && next?.text !== ',') {
      inFrom.set(open, false)
    }
    const isInQuery = open === -1 || reading.has(open)
    isExpected =
      token.text === ','
        ? inFrom.get(open) === true
        : isWord(token, ...JOINS) ||
          (isWord(token, 'FROM') && isInQuery && !isWord(before, 'DISTINCT')) ||
          (isWord(token, 'USING') && isInQuery && !isColumnList(tokens, at + 1)) ||
          (isWord(token, 'UPDATE') && !isWord(before, 'FOR', 'KEY', 'DO', 'THEN'))
    if (isExpected && isWord(token, 'FROM', 'USING', 'UPDATE')) inFrom.set(open, true)
    // MySQL has INSERT without INTO.
    if (isWord(token, 'INSERT', 'REPLACE') && next?.text !== '(' && !isInto(tokens, at)) add(at, {})
    if (isWord(token, 'FOR') && isWord(next, ...IN_FROM)) add(at, {})
    if (isWord(token, 'UNION') && open !== -1) add(at, { isQuery: true, isRenamed: true })
    if (isWord(token, 'AS')) {
      const isRenamed = before?.text === ')'
      const name = isRenamed ? tokens[openingOf(tokens, at - 1) - 1] : before
      const hint = tokens.slice(at + 1, at + 4).findIndex((one) => !isWord(one, 'NOT', 'MATERIALIZED'))
      const body = at + 1 + hint
      if (tokens[body]?.text === '(' && name?.kind === 'name' && isQueryAt(tokens, body + 1)) {
        const alias = name.parts.at(-1)
        if (isRecursive) queries.set(keyOf(alias), 0)
        atEnd.set(body, (end) => {
          if (!isRecursive) queries.set(keyOf(alias), end)
          if (isRenamed) add(end, { alias, isQuery: true, isRenamed })
        })
      }
    }
  }
  return sources.map(({ at, ...one }) =>
    at >= (queries.get(keyOf(one.table)) ?? Number.POSITIVE_INFINITY) ? { ...one, isQuery: true } : one,
  )
}

const isInto = (tokens: readonly SqlToken[], at: number): boolean =>
  tokens.slice(at + 1, at + 5).some((token) => isWord(token, 'INTO'))

const isQueryAt = (tokens: readonly SqlToken[], at: number): boolean =>
  tokens[at]?.text === '(' || isWord(tokens[at], ...QUERIES)

/** Whether USING is followed by columns, not by a query or by joined tables. */
const isColumnList = (tokens: readonly SqlToken[], at: number): boolean =>
  tokens[at]?.text === '(' && [',', ')'].includes(tokens[at + 2]?.text ?? ')')

/** A call in FROM. */
function rowsOf({ parts }: SqlToken): Source {
  const name = parts.at(-1) ?? ''
  return ROWS.test(name) ? { isQuery: true, isRenamed: keyOf(name) === 'unnest' } : {}
}

function aliasAt(tokens: readonly SqlToken[], next: number): Source {
  const at = isWord(tokens[next], 'AS') ? next + 1 : next
  const named = tokens[at]
  const isNone = named === undefined || (at === next && (ENDS.test(named.text) || NO_ALIAS.test(named.text)))
  if (isNone || (named.kind !== 'name' && named.kind !== 'string')) return {}
  const alias = named.kind === 'name' ? named.parts.at(-1) : named.text.slice(1, -1)
  return tokens[at + 1]?.text === '(' ? { alias, isRenamed: true } : { alias }
}

function sourceAt(
  tokens: readonly SqlToken[],
  at: number,
  chunkOf: (token: SqlToken) => number | undefined,
): Source {
  const token = tokens[at] as SqlToken
  const isWritten = isWord(tokens[at - 1], 'INTO')
  const { alias, isRenamed = false } = aliasAt(tokens, at + 1)
  if (tokens[at + 1]?.text === '.') return { alias }
  const [table, schema] = [...token.parts].reverse()
  return { table, schema, chunk: chunkOf(token), alias, ...(isRenamed && !isWritten && { isRenamed }) }
}

const keyOf = (name: string | undefined): string => name?.toLowerCase() ?? ''
