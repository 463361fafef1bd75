import { closingOf, isWord, type SqlToken, splitAtCommas } from '@snoflax/core/adapter'

type Tokens = readonly SqlToken[]
type Range = readonly [from: number, to: number]

/** What a bound value is compared with. */
export interface Comparison {
  /** Paths as they stand in the query, without quotes; undefined for other expressions. None for what is no value. */
  readonly paths: readonly (string | undefined)[]
  /** Whether by pattern, as LIKE does. */
  readonly byPattern: boolean
  /** The expressions that the value is part of. */
  readonly around: readonly Range[]
}

/** Words that an expression ends at. */
const ENDS = [
  ...'SELECT DISTINCT FROM WHERE ON HAVING GROUP ORDER BY SET VALUES LIMIT OFFSET FETCH FOR WINDOW UNION'.split(
    ' ',
  ),
  ...'EXCEPT INTERSECT RETURNING JOIN INNER LEFT RIGHT FULL CROSS NATURAL STRAIGHT_JOIN USING'.split(' '),
  ...'CASE WHEN THEN ELSE END AND OR AS ASC DESC NULLS'.split(' '),
]
const PATTERNS = ['LIKE', 'ILIKE', 'GLOB', 'REGEXP', 'RLIKE']
/** What stands between two operands; AND as in BETWEEN, DISTINCT FROM behind IS. */
const COMPARING = new Set([
  ...'<=> <= >= <> != == = < > @> <@ && IN NOT IS BETWEEN AND DISTINCT FROM ESCAPE'.split(' '),
  ...PATTERNS,
])
/** Words before brackets that are no function. */
const LISTS = ['IN', 'ANY', 'SOME', 'ALL']
/** Functions that answer one of their arguments: what they answer is compared as the argument is. */
const PASSING = ['COALESCE', 'IFNULL', 'NULLIF', 'MIN', 'MAX', 'GREATEST', 'LEAST', 'ANY_VALUE']

/**
 * What a parameter is compared with: the other operands beside it, or beside the brackets, functions and cases that
 * pass its value on.
 */
export function comparisonOf(tokens: Tokens, parameter: number): Comparison {
  const around: Range[] = []
  /** Where it is in rows of values, from the outermost. */
  const row: number[] = []
  let isChanged = false
  for (let own: Range = [parameter, parameter]; ; ) {
    const { open = -1 } = tokens[own[0]] ?? {}
    const expression = expressionAround(tokens, own, open)
    around.push(expression)
    const operands = operandsIn(tokens, expression, own)
    const operand = operands.find(([from, to]) => from <= own[0] && own[1] <= to) ?? own
    isChanged ||= !isPlain(tokens, operand, own)
    if (operands.length > 1) {
      const others = isChanged ? [] : operands.filter((one) => one !== operand)
      const members = others.flatMap((one) => membersOf(tokens, one, row))
      const paths = members.filter((one) => !isParameter(one)).map(pathOf)
      return { paths, byPattern: isWord(tokens[operand[0] - 1], ...PATTERNS), around }
    }
    const edge = tokens[expression[0] - 1]
    if (isWord(edge, 'CASE', 'WHEN', 'THEN', 'ELSE')) {
      own = caseAround(tokens, own[0])
      if (isWord(edge, 'THEN', 'ELSE')) continue
      const subject = subjectOf(tokens, own)
      for (let i = own[0]; i < own[1]; i++) around.push([i, i])
      if (isWord(edge, 'WHEN') && !isChanged) return { paths: [pathOf(subject)], byPattern: false, around }
      isChanged = true
      continue
    }
    if (open === -1) return { paths: [], byPattern: false, around }
    const caller = tokens[open - 1]
    const close = closeBehind(tokens, own[1], open)
    own = [isFunction(caller) || isWord(caller, 'ANY', 'SOME', 'ALL') ? open - 1 : open, close]
    if (isWord(tokens[open + 1], 'SELECT', 'WITH', 'VALUES')) isChanged = true
    else if (isWord(caller, ...PASSING)) {
      const passed = isChanged ? undefined : pathOf(tokens.slice(open - 1, close + 1))
      if (passed !== undefined) return { paths: [passed], byPattern: false, around }
    } else if (isFunction(caller) && !isWord(caller, 'ROW')) isChanged = true
    else if (!isWord(caller, ...LISTS) && splitAtCommas(tokens.slice(open + 1, close)).length > 1) {
      row.unshift(splitAtCommas(tokens.slice(open + 1, parameter + 1)).length - 1)
    }
  }
}

function expressionAround(tokens: Tokens, [first, last]: Range, open: number): Range {
  let [from, to] = [first, last]
  while (from - 1 > open && !isEnd(tokens, from - 1, open)) from--
  while (isWithin(tokens[to + 1], open) && !isEnd(tokens, to + 1, open)) to++
  return [from, to]
}

/** Whether a token behind an opening bracket is before the one that closes it. */
const isWithin = (token: SqlToken | undefined, open: number): boolean =>
  token !== undefined && token.open >= open

/** The index of what closes a bracket, from within it. */
function closeBehind(tokens: Tokens, at: number, open: number): number {
  let close = at + 1
  while (isWithin(tokens[close], open)) close++
  return close
}

function isEnd(tokens: Tokens, at: number, open: number): boolean {
  const token = tokens[at]
  if (token?.open !== open) return false
  if (token.text === ',' || token.text === ';') return true
  if (!isWord(token, ...ENDS)) return false
  if (isWord(token, 'AND')) return !isOfBetween(tokens, at)
  if (isWord(token, 'LEFT', 'RIGHT')) return tokens[at + 1]?.text !== '('
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

/** What stands between words and operators that compare, outside of the value's own tokens. */
function operandsIn(tokens: Tokens, [from, to]: Range, own: Range): Range[] {
  const open = tokens[own[0]]?.open
  const isCut = (token: SqlToken): boolean =>
    token.open === open && !token.isQuoted && COMPARING.has(token.text.toUpperCase())
  const operands: Range[] = []
  let start = from
  for (let i = from; i <= to + 1; i++) {
    if (i === own[0]) i = own[1] + 1
    if (i <= to && !isCut(tokens[i] as SqlToken)) continue
    if (start < i) operands.push([start, i - 1])
    start = i + 1
  }
  return operands
}

/** Whether nothing is done to the value; a cast of it is the user's. */
const isPlain = (tokens: Tokens, [from, to]: Range, own: Range): boolean =>
  from === own[0] &&
  (to === own[1] || tokens[own[1] + 1]?.text === '::' || isWord(tokens[own[1] + 1], 'COLLATE'))

/** What an operand holds for a place in a row of values: the member of the row, or of each row of a list. */
function membersOf(tokens: Tokens, [from, to]: Range, row: readonly number[]): Tokens[] {
  const isList = isWord(tokens[from - 1], 'IN')
  const isAny = isWord(tokens[from], 'ANY', 'SOME', 'ALL')
  const rows =
    isList || isAny ? membersIn(tokens.slice(isAny ? from + 1 : from, to + 1)) : [tokens.slice(from, to + 1)]
  return rows.map((one) => row.reduce<Tokens>((outer, index) => membersIn(outer)[index] ?? [], one))
}

/** Of `(a, b)` and `ROW(a, b)`. */
const membersIn = (tokens: Tokens): Tokens[] => {
  const open = isWord(tokens[0], 'ROW') ? 1 : 0
  const isRow = tokens[open]?.text === '(' && closingOf(tokens, open) === tokens.length - 1
  return isRow ? splitAtCommas(tokens.slice(open + 1, -1)) : []
}

/** The path that an expression is, or passes on: `o.id`, `min(o.id)`, `DISTINCT o.id`. A literal beside it is text. */
export function pathOf(tokens: Tokens): string | undefined {
  if (isWord(tokens[0], 'DISTINCT')) return pathOf(tokens.slice(1))
  if (tokens.length === 1) return tokens[0]?.kind === 'name' ? tokens[0].parts.join('.') : undefined
  const isPassing = isWord(tokens[0], ...PASSING)
  const members = membersIn(isPassing ? tokens.slice(1) : tokens)
  if (members.length > 1 && !isPassing) return undefined
  if (members.some(([token]) => token?.kind === 'string')) return undefined
  return members.map(pathOf).find((path) => path !== undefined)
}

const isParameter = (tokens: Tokens): boolean => tokens.length === 1 && tokens[0]?.kind === 'placeholder'

const isFunction = (caller: SqlToken | undefined): boolean =>
  caller?.kind === 'name' && !isWord(caller, ...ENDS, ...COMPARING, ...LISTS)

/** From CASE to END. */
function caseAround(tokens: Tokens, at: number): Range {
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

/** What stands between CASE and the first WHEN. */
const subjectOf = (tokens: Tokens, [from, to]: Range): Tokens =>
  tokens.slice(
    from + 1,
    tokens.findIndex((token, i) => i > from && i < to && isWord(token, 'WHEN')),
  )

/** Names of values: not of what is selected under a new name, of conditions of CASE, nor of rows of a subquery. */
export function* namesIn(tokens: Tokens, [from, to]: Range): Generator<SqlToken> {
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
