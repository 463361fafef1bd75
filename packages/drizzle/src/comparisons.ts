/** Expressions that are compared side by side: `(a, b)` is a row of two, a bare value a row of one. */
export type Row = readonly (number | undefined)[]

/**
 * A comparison in SQL, by the indexes of the chunks in it. What stands beside them, such as a literal or a
 * function's call, is undefined in its row.
 */
export interface Comparison {
  readonly operator: string
  readonly rows: readonly Row[]
  /** A chunk that is a whole list of rows: `in ${ids}`. */
  readonly list?: number
  /** A chunk that is an array: `= any(${ids})`. */
  readonly array?: number
  /** Whether texts are matched by a pattern, as `like` does. */
  readonly isPattern?: true
}

/** Chunks that are no text stand in it as their index between two of these, which no SQL has. */
const MARK = '\uE000'
const CHUNK = `${MARK}\\d+${MARK}`
const KEYWORDS = 'where|and|or|not|on|when|then|else|having|row|select|by'
/** Brackets behind any other word are those of a call, and hold no row. */
const NO_CALL = `(?:(?<![\\w"\`${MARK}]\\s*)|(?<=\\b(?:${KEYWORDS})\\s*))`
const brackets = (depth: number): string =>
  depth === 0 ? '\\([^()]*\\)' : `\\((?:[^()]|${brackets(depth - 1)})*\\)`
const BRACKETS = brackets(2)

const LEFT = `(?<=(?<left>${CHUNK}|${NO_CALL}${BRACKETS})\\s*)`
const right = (name: string): string => `(?<${name}>${CHUNK}|${BRACKETS})`
const EQUAL_OR_ORDER = '<=>|<>|!=|==|<=|>=|=|<|>|@>|<@|&&|is(?:\\s+not)?(?:\\s+distinct\\s+from)?'
const PATTERN =
  '(?:not\\s+)?(?:i?like|glob|match|regexp|rlike|similar\\s+to)(?:\\s+binary)?|sounds\\s+like|!?~~?\\*?'

const comparison = (operator: string, operand: string): RegExp =>
  new RegExp(`${LEFT}(?<operator>${operator})\\s*(?=${operand})`, 'gis')

const FORMS = [
  comparison(
    EQUAL_OR_ORDER,
    `(?:any|all|some)\\s*\\(\\s*(?:array\\s*\\[(?<items>[^\\]]*)|(?<array>${CHUNK}))`,
  ),
  comparison(EQUAL_OR_ORDER, right('operand')),
  comparison(PATTERN, `(?:[\\w.]+\\s*(?=\\())?${right('pattern')}`),
  comparison('(?:not\\s+)?in', `(?:(?<list>${CHUNK})|(?<rows>${BRACKETS}))`),
  comparison(
    '(?:not\\s+)?between(?:\\s+a?symmetric)?',
    `${right('from')}?(?:(?!\\band\\b).)*?\\band\\b\\s*${right('to')}?`,
  ),
]

const ANY_OPERATOR = new RegExp(`${EQUAL_OR_ORDER}|~|\\b(?:${PATTERN}|in|between)\\b`, 'i')

/** Whether a text could have the operator of a comparison. */
export const mayCompare = (text: string): boolean => ANY_OPERATOR.test(text)

/** Finds the comparisons in SQL; each piece is a text, or undefined for a chunk that is none. */
export function comparisonsIn(pieces: readonly (string | undefined)[]): Comparison[] {
  const text = withoutLiterals(
    pieces.map((piece, index) => piece?.replaceAll(MARK, ' ') ?? `${MARK}${index}${MARK}`).join(''),
  )
  return FORMS.flatMap((form) => Array.from(text.matchAll(form), ({ groups }) => read(groups as Groups)))
}

const LITERAL = /(?<comment>--[^\n]*|\/\*.*?\*\/)|(?<quote>['"`]).*?\k<quote>/gs

/** Words in texts, quoted names and comments compare nothing. */
const withoutLiterals = (text: string): string =>
  text.replaceAll(LITERAL, (...[, comment, quote]) => (comment ? ' ' : quote + quote))

type Groups = Readonly<Record<string, string | undefined>>

function read(groups: Groups): Comparison {
  const { operator = '', list, array, pattern } = groups
  return {
    operator: operator.trim().toLowerCase(),
    rows: [...sides(groups), ...listed(groups), ...chunksIn(pattern)],
    ...(list !== undefined && { list: chunkOf(list) as number }),
    ...(array !== undefined && { array: chunkOf(array) as number }),
    ...(pattern !== undefined && { isPattern: true }),
  }
}

const sides = ({ left, operand, from, to }: Groups): Row[] =>
  [left, operand, from, to].filter((side) => side !== undefined).map(rowOf)

/** What stands in the brackets of `in (…)` or `any(array[…])`. */
function listed({ items, rows }: Groups): Row[] {
  const inside = items ?? rows?.slice(1, -1).replace(/^\s*values\b/i, '') ?? ''
  return split(inside).map(rowOf)
}

const rowOf = (expression: string): Row =>
  expression.startsWith('(') ? split(expression.slice(1, -1)).map(chunkOf) : [chunkOf(expression)]

const ONE_CHUNK = new RegExp(`^${MARK}(\\d+)${MARK}(?:::[\\w[\\]]+)?$`)

function chunkOf(expression: string): number | undefined {
  const index = ONE_CHUNK.exec(expression)?.[1]
  return index === undefined ? undefined : Number(index)
}

/** Wherever they are in an expression. */
const chunksIn = (expression = ''): Row[] =>
  Array.from(expression.matchAll(new RegExp(CHUNK, 'g')), ([chunk]) => [chunkOf(chunk)])

/** The expressions between the commas that are in no brackets. */
const split = (expressions: string): string[] =>
  Array.from(expressions.matchAll(new RegExp(`(?:[^(),]|${BRACKETS})+`, 'g')), ([one]) => one.trim())
