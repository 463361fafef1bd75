import type { Database } from '@snoflax/core'
import { readSql, type SqlToken } from '@snoflax/core/adapter'

/** A chunk that an expression is. A cast makes a column something else; a value behind one still is its id. */
export interface Term {
  readonly chunk: number
  readonly isCast: boolean
}

/** Expressions that are compared side by side: `(a, b)` is a row of two, a bare value a row of one. */
export type Row = readonly (readonly Term[])[]

/** A comparison in SQL, by the numbers of the chunks in it. */
export interface Comparison {
  readonly operator: string
  readonly rows: readonly Row[]
  /** A chunk that is a whole list of rows: `in ${ids}`. */
  readonly list?: number | undefined
  /** A chunk that is an array: `= any(${ids})`. */
  readonly array?: number | undefined
  /** Whether texts are matched by a pattern, as `like` does. */
  readonly isPattern?: true
}

/** How a chunk that is no text stands in the SQL: by a sign that no SQL has. */
const MARK = '\uE000'
export const markOf = (chunk: number): string => `${MARK}${chunk}${MARK}`
export const withoutMarks = (text: string): string => text.replaceAll(MARK, ' ')
const MARKED = new RegExp(`${MARK}(\\d+)${MARK}`)

const WORDS = 'is|in|between|i?like|glob|match|regexp|rlike|similar|sounds'
const ANY_OPERATOR = new RegExp(`[=<>~]|&&|\\b(?:${WORDS})\\b`, 'i')

/** Whether a text could have the operator of a comparison. */
export const mayCompare = (text: string): boolean => ANY_OPERATOR.test(text)

const KEPT = 500
const LONGEST_KEPT = 2000
const known = new Map<string, readonly Comparison[]>()

/** The comparisons in SQL whose chunks are marked. An application has few texts, so each is read once. */
export function comparisonsIn(sql: string, dialect: Database): readonly Comparison[] {
  const key = `${dialect} ${sql}`
  const found =
    known.get(key) ?? comparisonsOf(itemsOf(readSql(sql, { dialect, placeholder: MARKED })), dialect)
  if (known.size >= KEPT) known.clear()
  if (sql.length <= LONGEST_KEPT) known.set(key, found)
  return found
}

/** A token, or brackets with all that is in them. */
interface Item {
  /** Keywords and functions are in upper case; brackets are the one that opens them. */
  readonly text: string
  readonly chunk?: number
  readonly inside?: Item[]
}

function itemsOf(tokens: readonly SqlToken[]): Item[] {
  const around: Item[][] = [[]]
  for (const token of tokens) {
    if (token.text === ')' || token.text === ']') {
      if (around.length > 1) around.pop()
      continue
    }
    const item = itemOf(token)
    around.at(-1)?.push(item)
    if (item.inside) around.push(item.inside)
  }
  return around[0] as Item[]
}

function itemOf({ kind, text, isQuoted }: SqlToken): Item {
  if (text === '(' || text === '[') return { text, inside: [] }
  if (kind === 'name') return { text: isQuoted ? `"${text}` : text.toUpperCase() }
  const chunk = kind === 'placeholder' ? MARKED.exec(text)?.[1] : undefined
  return chunk === undefined ? { text } : { text, chunk: Number(chunk) }
}

const COMPARED = '=|==|<>|!=|<|<=|>|>=|<=>|@>|<@|&&|IS(?: NOT)?(?: DISTINCT FROM)?'
const MATCHED = '!?~~?\\*?|(?:NOT )?(?:I?LIKE|GLOB|MATCH|REGEXP|RLIKE|SIMILAR TO)(?: BINARY)?|SOUNDS LIKE'
const OPERATOR = new RegExp(
  `^(?:(?<compared>${COMPARED})|(?<pattern>${MATCHED})|(?<in>(?:NOT )?IN)|` +
    '(?<between>(?:NOT )?BETWEEN(?: A?SYMMETRIC)?))(?= |$)',
)
const LONGEST = 4
const ENDS = new RegExp(
  '^(?:[,;]|AND|OR|NOT|WHEN|THEN|ELSE|END|CASE|WHERE|ON|HAVING|SELECT|DISTINCT|FROM|AS|BY|GROUP|ORDER|LIMIT|' +
    'OFFSET|UNION|INTERSECT|EXCEPT|RETURNING|SET|VALUES|USING|ASC|DESC|WINDOW|FILTER|OVER|ESCAPE)$',
)

type Kind = Readonly<Partial<Record<'compared' | 'pattern' | 'in' | 'between', string>>>

function comparisonsOf(items: readonly Item[], dialect: Database): Comparison[] {
  const comparisons = items.flatMap(({ inside }) => (inside ? comparisonsOf(inside, dialect) : []))
  const upTo = (from: number) => items.slice(from, endOf(items, from, dialect))
  let start = 0
  for (let at = 0; at < items.length; at++) {
    const found = operatorAt(items, at, dialect)
    if (found === null) {
      if (ENDS.test(items[at]?.text as string)) start = at + 1
      continue
    }
    const [operator, { between, ...kind }] = [found[0], found.groups as Kind]
    const left = rowOf(items.slice(start, at))
    start = at + operator.split(' ').length
    const right = upTo(start)
    const sides = between
      ? { rows: [left, rowOf(right), rowOf(upTo(start + right.length + 1))] }
      : compared(left, right, kind)
    comparisons.push({ operator: operator.toLowerCase(), ...sides })
    at = start - 1
  }
  return comparisons
}

function operatorAt(items: readonly Item[], at: number, dialect: Database): RegExpExecArray | null {
  // In MySQL it is AND.
  if (items[at]?.text === '&&' && dialect !== 'postgres') return null
  const texts = items.slice(at, at + LONGEST).map(({ text }) => text)
  return OPERATOR.exec(texts.join(' '))
}

function endOf(items: readonly Item[], from: number, dialect: Database): number {
  const isEnd = ({ text }: Item, at: number) =>
    at >= from && (ENDS.test(text) || text === '&&' || operatorAt(items, at, dialect) !== null)
  const end = items.findIndex(isEnd)
  return end === -1 ? items.length : end
}

function compared(
  left: Row,
  right: readonly Item[],
  { pattern, in: isIn }: Kind,
): Omit<Comparison, 'operator'> {
  const [first, second, third] = right
  if (pattern !== undefined) return { rows: [left, chunksIn(right)], isPattern: true }
  if (isIn !== undefined) {
    if (first?.inside === undefined) return { rows: [left], list: first?.chunk }
    return { rows: [left, ...expressionsIn(first).map(rowOf)] }
  }
  if (first?.text === 'BINARY') return { rows: [left, rowOf(right.slice(1))] }
  if (!/^(?:ANY|ALL|SOME)$/.test(first?.text ?? '')) return { rows: [left, rowOf(right)] }
  const [array, list] = second?.inside ?? []
  if (array?.text === 'ARRAY') return { rows: [left, ...expressionsIn(list).map(rowOf)] }
  return { rows: [left], array: third === undefined ? array?.chunk : undefined }
}

/** All chunks, wherever they are in an expression. */
const chunksIn = (items: readonly Item[]): Row =>
  items.flatMap((item) => (item.inside ? chunksIn(item.inside) : [termsOf([item])]))

/** The expressions in brackets, or the one. */
function rowOf(items: readonly Item[]): Row {
  const [brackets, more] = items[0]?.text === 'ROW' ? items.slice(1) : items
  return brackets?.inside && more === undefined ? expressionsIn(brackets).map(termsOf) : [termsOf(items)]
}

/** What commas divide, behind the word of a list of values. */
function expressionsIn(brackets: Item | undefined): Item[][] {
  const expressions: Item[][] = [[]]
  for (const item of brackets?.inside ?? []) {
    if (item.text === ',') expressions.push([])
    else if (item.text !== 'VALUES') expressions.at(-1)?.push(item)
  }
  return expressions
}

function termsOf([first, second, ...more]: readonly Item[]): Term[] {
  if (first?.chunk === undefined) return []
  if (second === undefined) return [{ chunk: first.chunk, isCast: false }]
  const isCast = second.text === '::' && more.every(({ inside, text }) => inside || /^\w+$/.test(text))
  return isCast ? [{ chunk: first.chunk, isCast }] : []
}
