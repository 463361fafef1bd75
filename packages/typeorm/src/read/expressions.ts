import { closingOf, isWord, type SqlToken } from '@snoflax/core/adapter'

type Tokens = readonly SqlToken[]

/** Words that an expression ends at. */
const ENDS =
  'SELECT DISTINCT FROM WHERE ON HAVING BY SET VALUES LIMIT OFFSET UNION EXCEPT INTERSECT RETURNING JOIN USING CASE WHEN THEN ELSE END AND OR'.split(
    ' ',
  )

/**
 * The names in the expressions that the value of a token is part of: around it, and around each bracket that hands
 * it on, until something is compared, which makes a truth value of it.
 */
export function* namesAround(tokens: Tokens, at: number): Generator<SqlToken> {
  for (let [from, to] = [at, at]; ; ) {
    const open = tokens[from]?.open ?? -1
    const close = open === -1 ? tokens.length : closingOf(tokens, open)
    while (from - 1 > open && !isEnd(tokens, from - 1, open)) from--
    while (to + 1 < close && !isEnd(tokens, to + 1, open)) to++
    yield* namesIn(tokens, from, to)
    const isCompared = tokens.slice(from, to + 1).some((token) => token.open === open && isComparing(token))
    if (isCompared) return
    if (isWord(tokens[from - 1], 'WHEN', 'THEN', 'ELSE', 'CASE')) [from, to] = caseAround(tokens, from)
    else if (open === -1) return
    else [from, to] = [open, close]
  }
}

function isEnd(tokens: Tokens, at: number, open: number): boolean {
  const token = tokens[at]
  if (token?.open !== open) return false
  if (token.text === ',' || token.text === ';') return true
  if (!isWord(token, ...ENDS)) return false
  if (isWord(token, 'AND')) return !isOfBetween(tokens, at)
  return !isWord(tokens[at - (isWord(token, 'FROM') ? 2 : 1)], 'IS', 'NOT')
}

/** Whether this AND stands between two bounds. */
function isOfBetween(tokens: Tokens, and: number): boolean {
  const { open = -1 } = tokens[and] ?? {}
  for (let i = and - 1; i > open; i--) {
    if (tokens[i]?.open !== open) continue
    if (isWord(tokens[i], 'BETWEEN')) return true
    if (tokens[i]?.text === ',' || isWord(tokens[i], ...ENDS)) return false
  }
  return false
}

const COMPARING = new Set(['<=>', '<=', '>=', '<>', '!=', '==', '=', '<', '>'])

const isComparing = (token: SqlToken | undefined): boolean =>
  COMPARING.has(token?.text ?? '') || isWord(token, 'IN', 'IS', 'LIKE', 'ILIKE', 'BETWEEN')

/** From CASE to END. */
export function caseAround(tokens: Tokens, at: number): [from: number, to: number] {
  const { open } = tokens[at] as SqlToken
  const find = (start: number, by: 1 | -1, opening: string, closing: string): number => {
    let depth = 1
    let i = start
    for (; tokens[i] !== undefined; i += by) {
      if (tokens[i]?.open !== open) continue
      if (isWord(tokens[i], opening)) depth++
      else if (isWord(tokens[i], closing) && --depth === 0) return i
    }
    return i - by
  }
  return [find(at - 1, -1, 'END', 'CASE'), find(at, 1, 'CASE', 'END')]
}

/** Names of values: not of what is selected under a new name, of conditions of CASE, nor of rows of a subquery. */
function* namesIn(tokens: Tokens, from: number, to: number): Generator<SqlToken> {
  const hidden = new Set<number>()
  let isCondition = false
  for (let i = from; i <= to; i++) {
    const token = tokens[i] as SqlToken
    if (isWord(token, 'FROM') && isWord(tokens[token.open + 1], 'SELECT', 'WITH')) hidden.add(token.open)
    if (hidden.has(token.open)) {
      if (token.text === '(') hidden.add(i)
      continue
    }
    if (isWord(token, 'WHEN')) isCondition = true
    else if (isWord(token, 'THEN')) isCondition = false
    if (token.kind === 'name' && !isCondition && !isWord(tokens[i - 1], 'AS')) yield token
  }
}
