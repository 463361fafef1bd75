import { isWord, type Token } from './tokens.js'

/** Functions that answer one of their arguments: what they answer is compared as the argument is. */
const PASSING = new Set(['COALESCE', 'IFNULL', 'NULLIF', 'MIN', 'MAX', 'GREATEST', 'LEAST', 'ANY_VALUE'])

/** Words before a parenthesis that are no function: what stands in it alone is passed on. */
const SYNTAX = new Set(
  'SELECT DISTINCT WHERE ON HAVING BY AND OR NOT IS FROM CASE WHEN THEN ELSE BETWEEN'.split(' '),
)

/** The path that an expression is, or passes on: `o.id`, `min(o.id)`, `DISTINCT o.id`. */
export function passedOrPlainPath(tokens: readonly Token[]): string | undefined {
  const start = isWord(tokens[0], 'DISTINCT') ? 1 : 0
  return endOfOperand(tokens, start) === tokens.length - 1
    ? operandBefore(tokens, tokens.length - 1)
    : undefined
}

/** The tokens between the commas that stand in no parentheses. */
export function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (token.text === '(') depth++
    else if (token.text === ')') depth--
    if (token.text === ',' && depth === 0) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

/** The path that ends here, as it is or as what a function passes on, unless it is part of a calculation. */
export function operandBefore(tokens: readonly Token[], end: number): string | undefined {
  const isPath = tokens[end]?.kind === 'path'
  if (!isPath && tokens[end]?.text !== ')') return undefined
  const open = isPath ? end : openingOf(tokens, end)
  if (isChanging(tokens[firstOf(tokens, open) - 1])) return undefined
  return isPath ? tokens[end]?.text : passedPath(tokens, open, end)
}

/** The path that begins here, unless it is part of a calculation or cast to another type. */
export function operandFrom(tokens: readonly Token[], start: number): string | undefined {
  const end = endOfOperand(tokens, start)
  return isChanging(tokens[end + 1]) ? undefined : operandBefore(tokens, end)
}

const isChanging = (token: Token | undefined): boolean => /^(?:::|[-+*/%|&^#])/.test(token?.text ?? '')

function endOfOperand(tokens: readonly Token[], start: number): number {
  const open = tokens[start]?.text === '(' ? start : start + 1
  return tokens[open]?.text === '(' ? closingOf(tokens, open) : start
}

/** The path that is passed on. What may be a literal as well is text, and no id. */
export function passedPath(tokens: readonly Token[], open: number, close: number): string | undefined {
  if (!isPassedOn(tokens, open)) return undefined
  const inside = splitAtCommas(tokens.slice(open + 1, close))
  if (calledAt(tokens, open) === undefined && inside.length > 1) return undefined
  if (inside.some(([token]) => token?.text.startsWith("'"))) return undefined
  return inside.map(passedOrPlainPath).find((path) => path !== undefined)
}

/** Whether an argument at this parenthesis is passed on: by a function that does, or as there is none. */
export function isPassedOn(tokens: readonly Token[], open: number): boolean {
  const called = calledAt(tokens, open)
  return called === undefined || PASSING.has(called)
}

/** The function whose arguments open here, without its schema. */
function calledAt(tokens: readonly Token[], open: number): string | undefined {
  const before = tokens[open - 1]
  const name = before?.kind === 'path' ? before.text.split('.').at(-1)?.toUpperCase() : undefined
  return name === undefined || SYNTAX.has(name) ? undefined : name
}

/** Where the operand begins whose parenthesis opens here. */
export const firstOf = (tokens: readonly Token[], open: number): number =>
  calledAt(tokens, open) === undefined ? open : open - 1

export function openingOf(tokens: readonly Token[], close: number): number {
  let depth = 0
  for (let i = close; i >= 0; i--) {
    if (tokens[i]?.text === ')') depth++
    else if (tokens[i]?.text === '(' && --depth === 0) return i
  }
  return -1
}

export function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let i = open; i < tokens.length; i++) {
    if (tokens[i]?.text === '(') depth++
    else if (tokens[i]?.text === ')' && --depth === 0) return i
  }
  return tokens.length
}
