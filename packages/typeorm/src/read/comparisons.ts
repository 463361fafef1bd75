import { closingOf, isWord, type SqlToken, splitAtCommas } from '@snoflax/core/adapter'
import {
  COMPARING,
  ENDS,
  type Expression,
  type Expressions,
  type Group,
  type Range,
  wordOf,
} from './expressions.js'

type Tokens = readonly SqlToken[]

/** What a bound value is compared with. */
export interface Comparison {
  /** Paths as written in the query, without quotes; undefined for other expressions. Empty if nothing is compared. */
  readonly paths: readonly (string | undefined)[]
  /** Whether the operator matches a pattern, as LIKE does. */
  readonly byPattern: boolean
  /** The expressions that the value is part of. */
  readonly around: Surroundings
}

/** The expressions around a value, the innermost first. Values in one group share the outer ones. */
export interface Surroundings {
  readonly expressions: readonly Expression[]
  readonly outer?: Surroundings
}

const PATTERNS = ['LIKE', 'ILIKE', 'GLOB', 'REGEXP', 'RLIKE']
const QUANTIFIERS = ['ANY', 'SOME', 'ALL']
/** Functions that return one of their arguments, so that a comparison with the result is one with the argument. */
const PASSING = ['COALESCE', 'IFNULL', 'NULLIF', 'MIN', 'MAX', 'GREATEST', 'LEAST', 'ANY_VALUE']
/** The same for functions that return only some of their arguments, or, for arrays, their elements. */
const RETURNING: Readonly<Record<string, readonly [from: number, to?: number]>> = {
  IF: [1],
  IIF: [1],
  FIRST_VALUE: [0, 1],
  LAST_VALUE: [0, 1],
  NTH_VALUE: [0, 1],
  LAG: [0, 1],
  LEAD: [0, 1],
  ARRAY_AGG: [0, 1],
}

/**
 * Finds what a parameter is compared with: the operands beside it, or beside the parentheses, functions and CASE
 * expressions that pass its value on. Results are shared by all values in the same parentheses.
 */
export function comparisonsIn(
  tokens: Tokens,
  { expressionAt, operandAt }: Expressions,
): (parameter: number) => Comparison {
  const known = new Map<string, Comparison>()
  const passed = new Map<Group, string[] | undefined>()
  const rows = new Map<Range, Tokens[]>()
  const members = new Map<Tokens, Tokens[]>()

  /** `row` is the value's position in row values, from the outermost; `isChanged` says whether an operation changes it. */
  const compare = (own: Range, row: readonly number[], isChanged: boolean): Comparison => {
    const expression = expressionAt[own.from] as Expression
    const operand = operandAt[own.from] ?? own
    const { group, edge, operands } = expression
    const changed = isChanged || !isPlain(tokens, operand, own)
    const end = (paths: Comparison['paths'], others: readonly Expression[] = []): Comparison => ({
      paths,
      byPattern: isWord(tokens[operand.from - 1], ...PATTERNS),
      around: { expressions: [expression, ...others] },
    })
    const goOn = (group: Group, row: readonly number[], isChanged: boolean): Comparison => {
      const comparison = compareGroup(group, row, isChanged)
      return { ...comparison, around: { expressions: [expression], outer: comparison.around } }
    }
    const pathsOf = (others: readonly Range[]): Comparison['paths'] => {
      const members = changed ? [] : others.flatMap((one) => membersOf(one, row))
      return members.filter((one) => !isParameter(one)).flatMap((one) => returnedPaths(one) ?? [undefined])
    }
    if (operands.length > 1) return end(pathsOf(operands.filter((one) => one !== operand)))
    if (group === undefined) return end([])
    if (group.isCase) {
      if (isWord(edge, 'THEN', 'ELSE')) return goOn(group, row, changed)
      const others = casesBeside(group, edge)
      return end(pathsOf(others.flatMap((one) => one.operands)), others)
    }
    const caller = tokens[group.from - 1]
    if (isQuery(tokens, group)) return goOn(group, row, true)
    if (calls(caller, PASSING)) {
      const passed = changed ? undefined : passedBy(group)
      return passed === undefined ? goOn(group, row, changed) : end(passed, group.expressions)
    }
    if (isFunction(caller) && !isWord(caller, 'ROW')) return goOn(group, row, true)
    const isRow = !isWord(caller, 'IN', ...QUANTIFIERS) && group.expressions.length > 1
    return goOn(group, isRow ? [expression.index, ...row] : row, changed)
  }

  const compareGroup = (group: Group, row: readonly number[], isChanged: boolean): Comparison =>
    once(known, `${group.from} ${isChanged} ${row.join()}`, () => {
      const caller = tokens[group.from - 1]
      const isCalled = !group.isCase && (isFunction(caller) || isWord(caller, ...QUANTIFIERS))
      return compare({ from: isCalled ? group.from - 1 : group.from, to: group.to }, row, isChanged)
    })

  /** The members of an operand at a position in row values: of the row, or of each row of a list. */
  const membersOf = (operand: Range, row: readonly number[]): Tokens[] =>
    rowsOf(operand).map((one) =>
      row.reduce<Tokens>((outer, index) => once(members, outer, () => membersIn(outer))[index] ?? [], one),
    )

  const rowsOf = (operand: Range): Tokens[] =>
    once(rows, operand, () => {
      const { from, to } = operand
      const isAny = isWord(tokens[from], ...QUANTIFIERS)
      const isList = isAny || isWord(tokens[from - 1], 'IN')
      const inside = tokens.slice(isAny ? from + 1 : from, to + 1)
      return isList ? membersIn(inside) : [inside]
    })

  const passedBy = (group: Group): string[] | undefined =>
    once(passed, group, () => returnedPaths(tokens.slice(group.from - 1, group.to + 1)))

  return (parameter) => compare({ from: parameter, to: parameter }, [], false)
}

/** What is compared, or assigned: both operands, and of rows and lists each member. */
export function* comparedIn(
  tokens: Tokens,
  { expressionAt }: Expressions,
): Generator<readonly [Tokens, Tokens]> {
  for (const expression of new Set(expressionAt)) {
    const [own, ...others] = expression?.operands.map(({ from, to }) => tokens.slice(from, to + 1)) ?? []
    for (const other of others) if (own) yield* pairsOf(own, other)
  }
}

function* pairsOf(own: Tokens, other: Tokens): Generator<readonly [Tokens, Tokens]> {
  const [mine, theirs] = [membersIn(own), isWord(other[1], 'SELECT') ? [] : membersIn(other)]
  if (theirs.length === 0) yield [own, other]
  else if (mine.length < 2 || membersIn(theirs[0] as Tokens).length > 0)
    for (const one of theirs) yield* pairsOf(own, one)
  else for (const [at, one] of mine.entries()) yield* pairsOf(one, theirs[at] ?? [])
}

/** The expressions that a CASE compares with this one: the WHENs for its subject, the subject for a WHEN. */
function casesBeside({ expressions }: Group, edge: SqlToken | undefined): Expression[] {
  if (isWord(edge, 'WHEN')) return expressions.slice(0, 1)
  return isWord(edge, 'CASE') ? expressions.filter((one) => isWord(one.edge, 'WHEN')) : []
}

const isQuery = (tokens: Tokens, { from }: Group): boolean =>
  isWord(tokens[from + 1], 'SELECT', 'WITH', 'VALUES')

/** The map's value for a key; computed and stored if it has none. */
export function once<Key, Value>(map: Map<Key, Value>, key: Key, compute: () => Value): Value {
  if (!map.has(key)) map.set(key, compute())
  return map.get(key) as Value
}

/** Whether the value is compared unchanged, apart from a cast or collation. */
const isPlain = (tokens: Tokens, { from, to }: Range, own: Range): boolean =>
  from === own.from &&
  (to === own.to || tokens[own.to + 1]?.text === '::' || isWord(tokens[own.to + 1], 'COLLATE'))

/** The members of `(a, b)` and `ROW(a, b)`. */
const membersIn = (tokens: Tokens): Tokens[] => {
  const open = isWord(tokens[0], 'ROW') ? 1 : 0
  const isRow = tokens[open]?.text === '(' && closingOf(tokens, open) === tokens.length - 1
  return isRow ? splitAtCommas(tokens.slice(open + 1, -1)) : []
}

/**
 * The path whose value an expression returns: `o.id`, `min(o.id) OVER (…)`, `DISTINCT o.id`, `CASE … THEN o.id END`.
 * Undefined if it can also return a literal.
 */
export const pathOf = (tokens: Tokens): string | undefined => pathsOf(tokens)[0]

/** All of the paths that it may be. */
export function pathsOf(tokens: Tokens): string[] {
  if (isWord(tokens[0], 'DISTINCT')) return pathsOf(tokens.slice(1))
  const [only] = tokens
  if (tokens.length === 1) return only?.kind === 'name' && !isWord(only, 'NULL') ? [only.parts.join('.')] : []
  const answers = returnedBy(tokens)
  return answers.some(([token]) => token?.kind === 'string') ? [] : answers.flatMap(pathsOf)
}

const returnedPaths = (tokens: Tokens): string[] | undefined => {
  const paths = pathsOf(tokens)
  return paths.length === 0 ? undefined : paths
}

/** The expressions one of which this one returns: arguments of a function, results of a CASE, content of parentheses. */
function returnedBy(tokens: Tokens): Tokens[] {
  if (isWord(tokens[0], 'CASE')) return resultsOf(tokens)
  const isCalled = tokens[1]?.text === '('
  const end = isCalled ? closingOf(tokens, 1) : -1
  const call = isCalled && isWord(tokens[end + 1], 'OVER', 'FILTER') ? tokens.slice(0, end + 1) : tokens
  if (calls(call[0], PASSING)) return membersIn(call.slice(1))
  const range = Object.entries(RETURNING).find(([name]) => calls(call[0], [name]))?.[1]
  if (range)
    return membersIn(call.slice(1))
      .slice(...range)
      .map(withoutOrder)
  const members = membersIn(call)
  return members.length === 1 ? members : []
}

/** Whether the token names one of these functions, in any schema. */
const calls = (token: SqlToken | undefined, names: readonly string[]): boolean =>
  names.includes(token?.parts.at(-1)?.toUpperCase() ?? '')

/** `o.id` of `o.id ORDER BY o.name` in an aggregate. */
function withoutOrder(tokens: Tokens): Tokens {
  const order = tokens.findIndex((token) => isWord(token, 'ORDER'))
  return order === -1 ? tokens : tokens.slice(0, order)
}

/** The expressions after THEN and ELSE; none if the last END belongs to another CASE. */
function resultsOf(tokens: Tokens): Tokens[] {
  const results: SqlToken[][] = []
  let depth = 0
  let result: SqlToken[] | undefined
  for (const token of tokens.slice(1, -1)) {
    if (isWord(token, 'CASE') || token.text === '(') depth++
    else if (isWord(token, 'END') || token.text === ')') depth--
    if (depth === 0 && isWord(token, 'WHEN', 'THEN', 'ELSE')) {
      result = isWord(token, 'WHEN') ? undefined : []
      if (result) results.push(result)
    } else result?.push(token)
  }
  return depth === 0 && isWord(tokens.at(-1), 'END') ? results : []
}

const isParameter = (tokens: Tokens): boolean => tokens.length === 1 && tokens[0]?.kind === 'placeholder'

const isFunction = (caller: SqlToken | undefined): boolean => {
  if (caller?.kind !== 'name') return false
  const word = wordOf(caller)
  return !ENDS.has(word) && !COMPARING.has(word) && !isWord(caller, 'CASE', 'END', ...QUANTIFIERS)
}

/** Names of values in an expression, and the expressions in its parentheses that are values. */
export function* valuesIn(
  tokens: Tokens,
  { operands, groups }: Expression,
): Generator<SqlToken | Expression> {
  const inner = groups.values()
  let group = inner.next().value
  for (const { from, to } of operands) {
    for (let i = from; i <= to; i++) {
      if (i === group?.from) {
        yield* valuesOf(tokens, group)
        i = group.to
        group = inner.next().value
      } else if (tokens[i]?.kind === 'name') yield tokens[i] as SqlToken
    }
  }
}

/** Names of values anywhere in an expression. */
export function* namesIn(tokens: Tokens, expression: Expression): Generator<SqlToken> {
  for (const one of valuesIn(tokens, expression)) {
    if ('kind' in one) yield one
    else yield* namesIn(tokens, one)
  }
}

/** The expressions of a group that are values: no aliases, conditions of a CASE or sources of a subquery. */
function valuesOf(tokens: Tokens, group: Group): Expression[] {
  const from = group.expressions.findIndex(({ edge }) => isWord(edge, 'FROM'))
  const answered =
    isQuery(tokens, group) && from !== -1 ? group.expressions.slice(0, from) : group.expressions
  let isCondition = false
  return answered.filter(({ edge }) => {
    isCondition = isWord(edge, 'WHEN') || (isCondition && !isWord(edge, 'THEN'))
    return !isCondition && !isWord(edge, 'AS')
  })
}
