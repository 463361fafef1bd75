import { isWord, type Token } from './tokens.js'

/** What a parameter is compared with. */
export interface Comparison {
  /** A path as it stands in the query. */
  readonly path: string
  /** Whether by pattern, as LIKE does. */
  readonly byPattern: boolean
}

/** Functions that answer one of their arguments: what they answer is compared as the argument is. */
const PASSING = new Set(['COALESCE', 'IFNULL', 'NULLIF', 'MIN', 'MAX', 'GREATEST', 'LEAST', 'ANY_VALUE'])

/**
 * The path that the parameter at this place is compared with: by an operator, in a list, between bounds or in
 * a row of values.
 */
export function comparedPath(tokens: readonly Token[], parameter: number): Comparison | undefined {
  const before = tokens[parameter - 1]
  const after = tokens[parameter + 1]
  if (isPattern(before)) return found(operandBefore(tokens, withoutNot(tokens, parameter - 2)), true)
  const path =
    operandLeftOf(tokens, parameter) ??
    (after?.kind === 'operator' ? operandFrom(tokens, parameter + 2) : undefined) ??
    operandOfList(tokens, parameter)
  return found(path, false)
}

/** The path that an expression is, or passes on: `o.id`, `min(o.id)`. */
export const passedOrPlainPath = (tokens: readonly Token[]): string | undefined =>
  operandFrom(tokens, 0) !== undefined && endsExpression(tokens) ? operandFrom(tokens, 0) : undefined

const endsExpression = (tokens: readonly Token[]): boolean =>
  tokens.length === (tokens[1]?.text === '(' ? closingOf(tokens, 1) + 1 : 1)

const found = (path: string | undefined, byPattern: boolean): Comparison | undefined =>
  path === undefined ? undefined : { path, byPattern }

const isPattern = (token: Token | undefined): boolean =>
  isWord(token, 'LIKE', 'ILIKE', 'GLOB', 'REGEXP', 'RLIKE')

function operandLeftOf(tokens: readonly Token[], parameter: number): string | undefined {
  const before = tokens[parameter - 1]
  if (before?.kind === 'operator') return operandBefore(tokens, parameter - 2)
  if (isWord(before, 'BETWEEN')) return operandBefore(tokens, withoutNot(tokens, parameter - 2))
  if (isWord(before, 'AND') && isWord(tokens[parameter - 3], 'BETWEEN')) {
    return operandBefore(tokens, withoutNot(tokens, parameter - 4))
  }
  if (isWord(before, 'FROM') && isWord(tokens[parameter - 2], 'DISTINCT')) {
    const is = withoutNot(tokens, parameter - 3)
    return isWord(tokens[is], 'IS') ? operandBefore(tokens, is - 1) : undefined
  }
  return undefined
}

/** Of `path IN (…)`, `path = ANY(…)` and `(a, b) > (…)`. */
function operandOfList(tokens: readonly Token[], parameter: number): string | undefined {
  const open = listStart(tokens, parameter)
  if (open === undefined) return undefined
  const before = tokens[open - 1]
  if (isWord(before, 'IN')) return operandBefore(tokens, withoutNot(tokens, open - 2))
  if (isWord(before, 'ANY', 'SOME', 'ALL')) return operandBefore(tokens, open - 3)
  if (before?.kind === 'operator') return memberOfRow(tokens, open - 2, positionIn(tokens, open, parameter))
  return undefined
}

/** Where the list of parameters opens that this one is in. */
function listStart(tokens: readonly Token[], parameter: number): number | undefined {
  for (let i = parameter - 1; i >= 0; i--) {
    const token = tokens[i] as Token
    if (token.text === '(') return i
    if (token.kind !== 'parameter' && token.text !== ',') return undefined
  }
  return undefined
}

const positionIn = (tokens: readonly Token[], open: number, parameter: number): number =>
  tokens.slice(open, parameter).filter(({ text }) => text === ',').length

/** The path at a position of `(a, b, …)`, which closes here. */
function memberOfRow(tokens: readonly Token[], close: number, position: number): string | undefined {
  const open = openingOf(tokens, close)
  if (open === undefined) return undefined
  const members = tokens.slice(open + 1, close)
  const isRow = members.every(({ kind, text }, i) => (i % 2 === 0 ? kind === 'path' : text === ','))
  return isRow ? members[2 * position]?.text : undefined
}

/** The path that ends here, as it is or as what a function passes on. */
function operandBefore(tokens: readonly Token[], end: number): string | undefined {
  const token = tokens[end]
  if (token?.kind === 'path') return token.text
  const open = token?.text === ')' ? openingOf(tokens, end) : undefined
  return open === undefined ? undefined : passedPath(tokens, open, end)
}

/** The path that begins here, unless it is cast to another type. */
function operandFrom(tokens: readonly Token[], start: number): string | undefined {
  const token = tokens[start]
  const next = tokens[start + 1]?.text ?? ''
  if (token?.kind !== 'path' || next.startsWith('::')) return undefined
  if (next !== '(') return token.text
  return passedPath(tokens, start + 1, closingOf(tokens, start + 1))
}

function passedPath(tokens: readonly Token[], open: number, close: number): string | undefined {
  const called = tokens[open - 1]
  const name = called?.kind === 'path' ? called.text.split('.').at(-1)?.toUpperCase() : undefined
  const inside = tokens.slice(open + 1, close)
  if (name !== undefined && PASSING.has(name)) {
    return inside.find(
      ({ kind, text }, i) => kind === 'path' && text !== 'DISTINCT' && inside[i + 1]?.text !== '(',
    )?.text
  }
  return inside.length === 1 && inside[0]?.kind === 'path' ? inside[0].text : undefined
}

function openingOf(tokens: readonly Token[], close: number): number | undefined {
  let depth = 0
  for (let i = close; i >= 0; i--) {
    if (tokens[i]?.text === ')') depth++
    else if (tokens[i]?.text === '(' && --depth === 0) return i
  }
  return undefined
}

function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let i = open; i < tokens.length; i++) {
    if (tokens[i]?.text === '(') depth++
    else if (tokens[i]?.text === ')' && --depth === 0) return i
  }
  return tokens.length
}

const withoutNot = (tokens: readonly Token[], i: number): number => (isWord(tokens[i], 'NOT') ? i - 1 : i)
