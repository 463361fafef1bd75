import { isWord, type SqlToken } from '@snoflax/core/adapter'

/** Indexes of the first and last token. */
export interface Range {
  readonly from: number
  to: number
}

/** `(…)`, `[…]` or `CASE … END`. */
export interface Group extends Range {
  readonly isCase: boolean
  /** The expression that contains it. */
  readonly around: Expression
  readonly expressions: Expression[]
}

/** The tokens between commas, parentheses and the words in {@link ENDS}. */
export interface Expression {
  readonly group: Group | undefined
  /** The token before it. */
  readonly edge: SqlToken | undefined
  /** How many commas are before it in its group. */
  readonly index: number
  /** The ranges between its operators that compare. */
  readonly operands: Range[]
  readonly groups: Group[]
  /** Whether the next token begins an operand. */
  isCut: boolean
  /** Whether the next AND is that of a BETWEEN. */
  isBetween: boolean
}

/** For each token of a query, its expression and its operand. */
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
/** Words and operators between two operands; AND as in BETWEEN, DISTINCT FROM after IS. */
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
    // A closing bracket also ends a CASE without END.
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
