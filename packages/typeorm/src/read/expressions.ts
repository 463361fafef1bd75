import { isWord, type SqlToken } from '@snoflax/core/adapter'

/** Indexes of the first token and of the last. */
export interface Range {
  readonly from: number
  to: number
}

/** `(…)`, `[…]` or `CASE … END`. */
export interface Group extends Range {
  readonly isCase: boolean
  /** What it stands in. */
  readonly around: Expression
  readonly expressions: Expression[]
}

/** What stands between commas, brackets and words that an expression ends at. */
export interface Expression {
  readonly group: Group | undefined
  /** The token before it. */
  readonly edge: SqlToken | undefined
  /** How many commas are before it in its group. */
  readonly index: number
  /** What stands between its words and operators that compare. */
  readonly operands: Range[]
  readonly groups: Group[]
  /** Whether the next token begins an operand. */
  isCut: boolean
  /** Whether the next AND stands between two bounds. */
  isBetween: boolean
}

/** The expressions of a query: for each token, which it is in, and in which operand. */
export interface Expressions {
  readonly expressionAt: readonly Expression[]
  readonly operandAt: readonly (Range | undefined)[]
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Words that an expression ends at. */
export const ENDS = words(
  'SELECT DISTINCT FROM WHERE ON HAVING GROUP ORDER BY SET VALUES LIMIT OFFSET FETCH FOR WINDOW UNION EXCEPT ' +
    'INTERSECT RETURNING JOIN INNER LEFT RIGHT FULL CROSS NATURAL STRAIGHT_JOIN USING WHEN THEN ELSE AND OR AS ' +
    'ASC DESC NULLS',
)
/** What stands between two operands; AND as in BETWEEN, DISTINCT FROM behind IS. */
export const COMPARING = words(
  '<=> <= >= <> != == = < > @> <@ && IN NOT IS BETWEEN AND DISTINCT FROM ESCAPE LIKE ILIKE GLOB REGEXP RLIKE',
)

/** A keyword or operator in upper case; empty for quoted names. */
export const wordOf = ({ isQuoted, text }: SqlToken): string => (isQuoted ? '' : text.toUpperCase())

/** Reads each token once. */
export function readExpressions(tokens: readonly SqlToken[]): Expressions {
  const expressionAt: Expression[] = []
  const operandAt: (Range | undefined)[] = []
  const begin = (group: Group | undefined, edge: SqlToken | undefined, index: number): Expression => {
    const expression = { group, edge, index, operands: [], groups: [], isCut: true, isBetween: false }
    group?.expressions.push(expression)
    return expression
  }
  let current = begin(undefined, undefined, 0)
  const add = (at: number, isComparing: boolean): void => {
    if (current.isCut && !isComparing) current.operands.push({ from: at, to: at })
    current.isCut = isComparing
    const operand = isComparing ? undefined : current.operands.at(-1)
    if (operand) operand.to = at
    expressionAt[at] = current
    operandAt[at] = operand
  }

  tokens.forEach((token, at) => {
    const word = wordOf(token)
    const isBracket = word === ')' || word === ']'
    // In brackets that close, a CASE may lack its END.
    while (isBracket && current.group?.isCase) current = current.group.around
    if (current.group && (isBracket || (word === 'END' && current.group.isCase))) {
      current.group.to = at
      current = current.group.around
      add(at, false)
    } else if (word === '(' || word === '[' || word === 'CASE') {
      add(at, false)
      const group = {
        from: at,
        to: tokens.length - 1,
        isCase: word === 'CASE',
        around: current,
        expressions: [],
      }
      current.groups.push(group)
      current = begin(group, token, 0)
    } else if (isEnd(tokens, at, word, current)) {
      current = begin(current.group, token, current.index + (word === ',' ? 1 : 0))
    } else {
      if (word === 'BETWEEN' || word === 'AND') current.isBetween = word === 'BETWEEN'
      add(at, COMPARING.has(word))
    }
  })
  return { expressionAt, operandAt }
}

function isEnd(tokens: readonly SqlToken[], at: number, word: string, { isBetween }: Expression): boolean {
  if (word === ',' || word === ';') return true
  if (!ENDS.has(word)) return false
  if (word === 'AND') return !isBetween
  if (word === 'LEFT' || word === 'RIGHT') return tokens[at + 1]?.text !== '('
  return !isWord(tokens[at - (word === 'FROM' ? 2 : 1)], 'IS', 'NOT')
}
