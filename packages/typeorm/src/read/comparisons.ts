import { closingOf, isWord, openingOf, type SqlToken, splitAtCommas } from '@snoflax/core/adapter'
import { caseAround } from './expressions.js'

type Tokens = readonly SqlToken[]

/** What a parameter is compared with. */
export interface Comparison {
  /** Paths as they stand in the query, without quotes; undefined for other expressions. */
  readonly paths: readonly (string | undefined)[]
  /** Whether by pattern, as LIKE does. */
  readonly byPattern: boolean
}

const COMPARING = new Set(['<=>', '<=', '>=', '<>', '!=', '==', '=', '<', '>'])

/** Functions that answer one of their arguments: what they answer is compared as the argument is. */
const PASSING = new Set(['COALESCE', 'IFNULL', 'NULLIF', 'MIN', 'MAX', 'GREATEST', 'LEAST', 'ANY_VALUE'])

/** Words before a parenthesis that are no function: what stands in it alone is passed on. */
const SYNTAX = new Set(
  'SELECT DISTINCT WHERE ON HAVING BY AND OR NOT IS FROM CASE WHEN THEN ELSE BETWEEN'.split(' '),
)

/**
 * What the parameter at this index is compared with: by an operator, in a list, between bounds, in a row of values
 * or as one of the cases of a CASE.
 */
export function comparisonOf(tokens: Tokens, parameter: number): Comparison | undefined {
  const [before, after] = [tokens[parameter - 1], tokens[parameter + 1]]
  if (isChanging(before) || (isChanging(after) && after?.text !== '::')) return undefined
  const verb = isWord(after, 'NOT') ? parameter + 2 : parameter + 1
  if (isWord(tokens[verb], 'IN')) {
    const list = tokens.slice(verb + 2, closingOf(tokens, verb + 1))
    return { paths: splitAtCommas(list).map(passedOrPlainPath), byPattern: false }
  }
  const byPattern = isWord(before, 'LIKE', 'ILIKE', 'GLOB', 'REGEXP', 'RLIKE')
  const path = byPattern
    ? operandBefore(tokens, withoutNot(tokens, parameter - 2))
    : (operandBeside(tokens, parameter, parameter) ??
      operandOfList(tokens, parameter) ??
      operandOfCase(tokens, parameter))
  return path === undefined ? undefined : { paths: [path], byPattern }
}

/** Of `CASE path WHEN …`. */
function operandOfCase(tokens: Tokens, parameter: number): string | undefined {
  if (!isWord(tokens[parameter - 1], 'WHEN') || !isWord(tokens[parameter + 1], 'THEN')) return undefined
  const [start] = caseAround(tokens, parameter)
  const end = endOfOperand(tokens, start + 1)
  return isWord(tokens[end + 1], 'WHEN') ? operandBefore(tokens, end) : undefined
}

/** The path that is compared with what reaches from one token to another. */
const operandBeside = (tokens: Tokens, first: number, last: number): string | undefined =>
  operandLeftOf(tokens, first) ?? operandRightOf(tokens, last)

function operandLeftOf(tokens: Tokens, first: number): string | undefined {
  const before = tokens[first - 1]
  if (isComparing(before)) return operandBefore(tokens, first - 2)
  if (isWord(before, 'BETWEEN')) return operandBefore(tokens, withoutNot(tokens, first - 2))
  if (isWord(before, 'AND') && isWord(tokens[first - 3], 'BETWEEN')) {
    return operandBefore(tokens, withoutNot(tokens, first - 4))
  }
  const isDistinct = isWord(before, 'FROM') && isWord(tokens[first - 2], 'DISTINCT')
  const is = withoutNot(tokens, isDistinct ? first - 3 : first - 1)
  return isWord(tokens[is], 'IS') ? operandBefore(tokens, is - 1) : undefined
}

function operandRightOf(tokens: Tokens, last: number): string | undefined {
  const verb = isWord(tokens[last + 1], 'NOT') ? last + 2 : last + 1
  if (isWord(tokens[verb], 'IN')) return operandFrom(tokens, verb + 2)
  const compares = isComparing(tokens[verb]) || isWord(tokens[verb], 'BETWEEN')
  return compares ? operandFrom(tokens, verb + 1) : undefined
}

const isComparing = (token: SqlToken | undefined): boolean => COMPARING.has(token?.text ?? '')

/** Of `path IN (…)`, `path = ANY(…)`, `(a, b) > (…)`, `(a, b) IN ((…), …)` and `COALESCE(…) = path`. */
function operandOfList(tokens: Tokens, parameter: number): string | undefined {
  const { open = -1 } = tokens[parameter] ?? {}
  if (!isInList(tokens, parameter)) return undefined
  const before = tokens[open - 1]
  if (isWord(before, 'IN')) return operandBefore(tokens, withoutNot(tokens, open - 2))
  if (isWord(before, 'ANY', 'SOME', 'ALL')) return operandBefore(tokens, open - 3)
  const isAlone = [',', ')'].includes(tokens[parameter + 1]?.text ?? '')
  const passed = isAlone && isPassedOn(tokens, open) ? operandOfCall(tokens, open) : undefined
  return memberOfRow(tokens, rowBefore(tokens, open), open, parameter) ?? passed
}

/** Whether something stands at the begin of parentheses or behind a comma there, and not in a subquery. */
function isInList(tokens: Tokens, at: number): boolean {
  const { open = -1 } = tokens[at] ?? {}
  if (open === -1 || isWord(tokens[open + 1], 'SELECT', 'WITH')) return false
  return [',', '('].includes(tokens[at - 1]?.text ?? '')
}

/** Where the row closes that the row at this parenthesis is compared with, alone or in a list. */
function rowBefore(tokens: Tokens, open: number): number {
  if (isComparing(tokens[open - 1])) return open - 2
  const list = isInList(tokens, open) ? tokens[open]?.open : undefined
  return list !== undefined && isWord(tokens[list - 1], 'IN') ? withoutNot(tokens, list - 2) : -1
}

/** What passes one of its arguments on has them all of one kind, and is compared as they are. */
function operandOfCall(tokens: Tokens, open: number): string | undefined {
  const close = closingOf(tokens, open)
  return passedPath(tokens, open, close) ?? operandBeside(tokens, firstOf(tokens, open), close)
}

/** Of `(a, b, …)`, if one closes here: the path that the parameter of another such row is compared with. */
function memberOfRow(tokens: Tokens, close: number, row: number, parameter: number): string | undefined {
  const open = tokens[close]?.text === ')' ? openingOf(tokens, close) : -1
  if (open === -1 || !isPassedOn(tokens, open)) return undefined
  const position = splitAtCommas(tokens.slice(row + 1, parameter)).length - 1
  return passedOrPlainPath(splitAtCommas(tokens.slice(open + 1, close))[position] ?? [])
}

const withoutNot = (tokens: Tokens, i: number): number => (isWord(tokens[i], 'NOT') ? i - 1 : i)

/** The path that an expression is, or passes on: `o.id`, `min(o.id)`, `DISTINCT o.id`. */
export function passedOrPlainPath(tokens: Tokens): string | undefined {
  const start = isWord(tokens[0], 'DISTINCT') ? 1 : 0
  return endOfOperand(tokens, start) === tokens.length - 1
    ? operandBefore(tokens, tokens.length - 1)
    : undefined
}

/** The path that ends here, as it is or as what a function passes on, unless it is part of a calculation. */
function operandBefore(tokens: Tokens, end: number): string | undefined {
  const isPath = tokens[end]?.kind === 'name'
  if (!isPath && tokens[end]?.text !== ')') return undefined
  const open = isPath ? end : openingOf(tokens, end)
  if (isChanging(tokens[firstOf(tokens, open) - 1])) return undefined
  return isPath ? tokens[end]?.parts.join('.') : passedPath(tokens, open, end)
}

/** The path that begins here, unless it is part of a calculation or cast to another type. */
function operandFrom(tokens: Tokens, start: number): string | undefined {
  const end = endOfOperand(tokens, start)
  return isChanging(tokens[end + 1]) ? undefined : operandBefore(tokens, end)
}

const isChanging = (token: SqlToken | undefined): boolean => /^(?:::|[-+*/%|&^#])/.test(token?.text ?? '')

function endOfOperand(tokens: Tokens, start: number): number {
  const open = tokens[start]?.text === '(' ? start : start + 1
  return tokens[open]?.text === '(' ? closingOf(tokens, open) : start
}

/** The path that is passed on. What may be a literal as well is text, and no id. */
function passedPath(tokens: Tokens, open: number, close: number): string | undefined {
  if (!isPassedOn(tokens, open)) return undefined
  const inside = splitAtCommas(tokens.slice(open + 1, close))
  if (calledAt(tokens, open) === undefined && inside.length > 1) return undefined
  if (inside.some(([token]) => token?.kind === 'string')) return undefined
  return inside.map(passedOrPlainPath).find((path) => path !== undefined)
}

/** Whether an argument at this parenthesis is passed on: by a function that does, or as there is none. */
function isPassedOn(tokens: Tokens, open: number): boolean {
  const called = calledAt(tokens, open)
  return called === undefined || PASSING.has(called)
}

/** The function whose arguments open here, without its schema. */
function calledAt(tokens: Tokens, open: number): string | undefined {
  const name = tokens[open - 1]?.parts.at(-1)?.toUpperCase()
  return name === undefined || SYNTAX.has(name) ? undefined : name
}

/** Where the operand begins whose parenthesis opens here. */
const firstOf = (tokens: Tokens, open: number): number =>
  calledAt(tokens, open) === undefined ? open : open - 1
