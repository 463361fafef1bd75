import { IdError } from '../primitives/errors.js'
import type { Database } from '../storage/column.js'
import { readSql, type SqlToken } from './read-sql.js'

/** A chunk that an expression is. A cast makes a column something else; a value behind one still is its id. */
export interface Term {
  /** Its number. */
  readonly chunk: number
  /** Whether a cast follows. */
  readonly isCast: boolean
}

/** Expressions that are compared side by side: `(a, b)` is a row of two, a bare value a row of one. */
export type Row = readonly (readonly Term[])[]

/** A comparison in SQL, by the numbers of the chunks in it. */
export interface Comparison {
  /** The sides: two, or three of `between`, or as many as have one storage. */
  readonly rows: readonly Row[]
  /** A chunk that is a whole list of rows: `in ${ids}`. */
  readonly list?: number | undefined
  /** A chunk that is an array: `= any(${ids})`. */
  readonly array?: number | undefined
  /** The operator, where it matches texts by a pattern, as `like` does. */
  readonly pattern?: string | undefined
  /** The columns in it that only the text names, without their tables, by their place in a row. */
  readonly names: readonly (readonly string[])[]
  /** The texts that are written into it, by their place in a row. */
  readonly texts: readonly (readonly string[])[]
}

/** What the value of an expression is made of: not what chooses or orders it, nor what is only counted or compared. */
export interface Parts {
  /** Numbers of chunks. */
  readonly chunks: readonly number[]
  /** Columns that only the text names, without their tables, and other words. */
  readonly names: readonly string[]
  /** What quotes hold. */
  readonly texts: readonly string[]
}

/** What SQL calls by another name, as in `max(id) as last`. */
export interface Alias {
  /** The other name. */
  readonly name: string
  /** Number of the chunk that it is. */
  readonly chunk?: number | undefined
  /** The column that only the text names. */
  readonly column?: string | undefined
}

const MARK = '\uE000'

/**
 * How a chunk that is no text, such as a column or a value, stands in the SQL: by a sign that no SQL has.
 *
 * @example
 * markOf(3).length // 3
 */
export const markOf = (chunk: number): string => `${MARK}${chunk}${MARK}`

/**
 * Text of others, which then can't be taken for a mark.
 *
 * @example
 * withoutMarks(markOf(3)) // ' 3 '
 */
export const withoutMarks = (text: string): string => text.replaceAll(MARK, ' ')

/**
 * SQL whose placeholders are marks of the values that go with it: `$2` and `?2` by their number, `?` in their order.
 *
 * @example
 * withMarks('id = $1', 'postgres') === `id = ${markOf(0)}` // true
 */
export function withMarks(sql: string, dialect: Database): string {
  const text = withoutMarks(sql)
  let marked = ''
  let end = 0
  let next = 0
  for (const token of readSql(text, { dialect })) {
    if (token.kind !== 'placeholder') continue
    const number = /^[?$](\d+)$/.exec(token.text)?.[1]
    marked += text.slice(end, token.start) + markOf(number === undefined ? next++ : Number(number) - 1)
    end = token.end
  }
  return marked + text.slice(end)
}

const MARKED = new RegExp(`${MARK}(\\d+)${MARK}`)

const WORDS = 'is|in|between|i?like|glob|match|regexp|rlike|similar|sounds'
const ANY_OPERATOR = new RegExp(`[=<>~]|&&|\\b(?:${WORDS})\\b|\\)\\s*values\\b`, 'i')

/**
 * Whether a text could have the operator of a comparison.
 *
 * @example
 * mayCompare(' in ') // true
 */
export const mayCompare = (text: string): boolean => text !== '' && ANY_OPERATOR.test(text)

/** What SQL does with its chunks. */
export interface Reading {
  /** What is compared, or united by a function or CASE. */
  readonly comparisons: readonly Comparison[]
  /** The chunks of each expression that has several, those in the brackets of calls too. */
  readonly expressions: readonly (readonly number[])[]
  /** What the whole of the SQL is, if it is an expression. */
  readonly result: readonly Term[]
  /** What its value is made of. */
  readonly parts: Parts
  /** The chunks that functions read as JSON, such as `json_each`. */
  readonly json: readonly number[]
  /** All that stands in it, where something is read as JSON. */
  readonly all: Parts
  /** What it gives another name. */
  readonly aliases: readonly Alias[]
}

const KEPT = 500
const LONGEST_KEPT = 2000
const known = new Map<string, Reading>()

/**
 * Which chunks SQL compares with each other, for ORMs whose raw SQL is text with columns and values in it. Each text is
 * read once, since an application has few.
 *
 * @example
 * const { comparisons } = readComparisons(`${markOf(0)} = ${markOf(1)}`, 'sqlite')
 * comparisons[0].rows.map(([[term]]) => term.chunk) // [0, 1]
 */
export function readComparisons(sql: string, dialect: Database): Reading {
  const key = `${dialect} ${sql}`
  const reading =
    known.get(key) ?? readingOf(itemsOf(readSql(sql, { dialect, placeholder: MARKED })), dialect)
  if (known.size >= KEPT) known.clear()
  if (sql.length <= LONGEST_KEPT) known.set(key, reading)
  return reading
}

const readingOf = (
  items: readonly Item[],
  dialect: Database,
  json: readonly number[] = jsonIn(items),
): Reading => ({
  comparisons: comparisonsIn(items, dialect)
    .filter(({ rows }) => rows.length > 0)
    .map((one) => ({
      ...one,
      rows: one.rows.map((row) => row.map(chunksOf)),
      names: inPlaces(one.rows, ({ name }) => name),
      texts: inPlaces(one.rows, ({ written }) => written),
    })),
  expressions: expressionsOf(items).filter(({ length }) => length > 1),
  result: chunksOf(termsOf(items)),
  parts: namedParts(partsOf(items, dialect)),
  json,
  all: namedParts(json.length > 0 ? operandsIn(items) : []),
  aliases: aliasesIn(items),
})

/** One list for all levels of brackets. */
function aliasesIn(items: readonly Item[], aliases: Alias[] = []): Alias[] {
  let start = 0
  for (const [at, { text, inside }] of items.entries()) {
    if (inside && items[at - 1]?.text !== 'CAST') aliasesIn(inside, aliases)
    const name = text === 'AS' ? items[at + 1]?.name : undefined
    if (name !== undefined) {
      for (const { chunk, name: column, isCast } of termsOf(items.slice(start, at))) {
        if (!isCast) aliases.push({ name, chunk, column })
      }
    }
    if (ENDS.test(text)) start = at + 1
  }
  return aliases
}

/** A chunk, a column that the text names, or a text that is written into it. */
interface Operand {
  readonly chunk?: number
  readonly name?: string
  readonly written?: string
  readonly isCast: boolean
}

type Found = Omit<Comparison, 'rows' | 'names' | 'texts'> & {
  readonly rows: readonly (readonly Operand[])[][]
}

function inPlaces(rows: Found['rows'], read: (operand: Operand) => string | undefined): string[][] {
  const width = Math.max(...rows.map(({ length }) => length))
  return Array.from({ length: width }, (_, at) =>
    rows.flatMap((row) => (row[at] ?? []).flatMap((one) => read(one) ?? [])),
  )
}

const namedParts = (parts: readonly Operand[]): Parts => ({
  chunks: parts.flatMap(({ chunk }) => chunk ?? []),
  names: parts.flatMap(({ name }) => name ?? []),
  texts: parts.flatMap(({ written }) => written ?? []),
})

const chunksOf = (operands: readonly Operand[]): Term[] =>
  operands.flatMap(({ chunk, isCast }) => (chunk === undefined ? [] : [{ chunk, isCast }]))

/** A token, or all that is in brackets, or between CASE and END. */
interface Item {
  /** Keywords and functions are in upper case; what has an inside is the token that opens it. */
  readonly text: string
  readonly chunk?: number
  /** Of what may be a column: the last part of its name, as it is. */
  readonly name?: string | undefined
  /** Of a text: what its quotes hold. */
  readonly written?: string | undefined
  readonly inside?: Item[]
}

function itemsOf(tokens: readonly SqlToken[]): Item[] {
  const around: Item[][] = [[]]
  for (const token of tokens) {
    const item = itemOf(token)
    if (CLOSING.has(item.text)) {
      if (around.length > 1) around.pop()
      continue
    }
    around.at(-1)?.push(item)
    if (item.inside) around.push(item.inside)
    if (around.length > DEEPEST) {
      throw new IdError(
        'INVALID_OPTION',
        `the SQL has brackets in brackets, ${DEEPEST} deep, which is too deep to tell what it compares; split the statement`,
      )
    }
  }
  return around[0] as Item[]
}

/** Brackets are read by recursion, and the stack has an end. */
const DEEPEST = 700

const OPENING = new Set(['(', '[', 'CASE'])
const CLOSING = new Set([')', ']', 'END'])

function itemOf({ kind, text, parts, isQuoted }: SqlToken): Item {
  const word = kind !== 'name' ? text : isQuoted ? `"${text}` : text.toUpperCase()
  if (OPENING.has(word)) return { text: word, inside: [] }
  const chunk = kind === 'placeholder' ? MARKED.exec(text)?.[1] : undefined
  if (chunk !== undefined) return { text, chunk: Number(chunk) }
  return kind === 'string' ? { text, written: text.slice(1, -1) } : { text: word, name: parts.at(-1) }
}

const COMPARED = '=|==|<>|!=|<|<=|>|>=|<=>|@>|<@|&&|IS(?: NOT)?(?: DISTINCT FROM)?'
const MATCHED = '!?~~?\\*?|(?:NOT )?(?:I?LIKE|GLOB|MATCH|REGEXP|RLIKE|SIMILAR TO)(?: BINARY)?|SOUNDS LIKE'
const OPERATOR = new RegExp(
  `^(?:(?<compared>${COMPARED})|(?<pattern>${MATCHED})|(?<in>(?:NOT )?IN)|` +
    '(?<between>(?:NOT )?BETWEEN(?: A?SYMMETRIC)?))(?= |$)',
)
const LONGEST = 4
const ENDS = new RegExp(
  '^(?:[,;]|AND|OR|NOT|WHEN|THEN|ELSE|WHERE|ON|HAVING|SELECT|DISTINCT|FROM|AS|BY|GROUP|ORDER|LIMIT|' +
    'OFFSET|UNION|INTERSECT|EXCEPT|RETURNING|SET|VALUES|USING|ASC|DESC|WINDOW|ESCAPE)$',
)

/** One list for all levels of brackets, which may be thousands. */
function comparisonsIn(items: readonly Item[], dialect: Database, comparisons: Found[] = []): Found[] {
  comparisons.push(...inserted(items))
  for (const [at, item] of items.entries()) {
    if (item.inside) comparisonsIn(item.inside, dialect, comparisons)
    comparisons.push(...uniting(item, items[at + 1]))
  }
  const upTo = (from: number) => items.slice(from, endOf(items, from, dialect))
  let start = 0
  for (let at = 0; at < items.length; at++) {
    const found = operatorAt(items, at, dialect)
    if (found === null) {
      if (ENDS.test(items[at]?.text as string)) start = at + 1
      continue
    }
    const { 0: operator, groups: kind = {} } = found
    const left = rowOf(items.slice(start, at))
    start = at + operator.split(' ').length
    const right = upTo(start)
    comparisons.push(
      kind['between']
        ? { rows: [left, rowOf(right), rowOf(upTo(start + right.length + 1))] }
        : kind['pattern']
          ? {
              rows: [left, partsOf(right, dialect).map((part) => [part])],
              pattern: kind['pattern'].toLowerCase(),
            }
          : compared(left, right, kind['in'] !== undefined),
    )
    at = start - 1
  }
  return comparisons
}

/** The columns of an INSERT and what VALUES puts there. */
function inserted(items: readonly Item[]): Found[] {
  const at = items.findIndex(({ text }) => text === 'VALUES')
  const columns = items[at - 1]
  if (columns?.text !== '(' || !items.some(({ text }) => text === 'INTO')) return []
  const rest = items.slice(at + 1)
  const end = rest.findIndex(({ text, inside }) => inside === undefined && text !== ',')
  const rows = rest.slice(0, end === -1 ? rest.length : end).filter(({ inside }) => inside)
  return [{ rows: [columns, ...rows].map((row) => rowOf([row])) }]
}

function operatorAt(items: readonly Item[], at: number, dialect: Database): RegExpExecArray | null {
  // In MySQL it is AND.
  if (items[at]?.text === '&&' && dialect !== 'postgres') return null
  const texts = items.slice(at, at + LONGEST).map(({ text }) => text)
  return OPERATOR.exec(texts.join(' '))
}

function endOf(items: readonly Item[], from: number, dialect: Database): number {
  for (let at = from; at < items.length; at++) {
    const { text } = items[at] as Item
    if (ENDS.test(text) || text === '&&' || operatorAt(items, at, dialect) !== null) return at
  }
  return items.length
}

function compared(left: Operand[][], right: readonly Item[], isIn: boolean): Found {
  const [first, second, third] = right
  if (isIn) {
    if (first?.inside === undefined) return { rows: [left], list: first?.chunk }
    return { rows: [left, ...expressionsIn(first).map(rowOf)] }
  }
  if (first?.text === 'BINARY') return { rows: [left, rowOf(right.slice(1))] }
  if (!/^(?:ANY|ALL|SOME)$/.test(first?.text ?? '')) return { rows: [left, rowOf(right)] }
  const [array, list] = second?.inside ?? []
  if (array?.text === 'ARRAY') return { rows: [left, ...expressionsIn(list).map(rowOf)] }
  return { rows: [left], array: third === undefined ? array?.chunk : undefined }
}

/** The expressions in brackets, or the one. */
function rowOf(items: readonly Item[]): Operand[][] {
  const [brackets, more] = items[0]?.text === 'ROW' ? items.slice(1) : items
  return brackets?.text === '(' && more === undefined
    ? expressionsIn(brackets).map(termsOf)
    : [termsOf(items)]
}

/** What commas divide, behind the word of a list of values. */
const expressionsIn = (brackets: Item | undefined): Item[][] =>
  divided(brackets?.inside ?? [], /^,$/).map((items) => items.filter(({ text }) => text !== 'VALUES'))

function divided(items: readonly Item[], at: RegExp): Item[][] {
  const parts: Item[][] = [[]]
  for (const item of items) {
    if (at.test(item.text)) parts.push([])
    else parts.at(-1)?.push(item)
  }
  return parts
}

/** Functions that answer one of their arguments, and which. */
const ANSWERING: readonly (readonly [names: RegExp, isAnswered: (argument: number) => boolean])[] = [
  [/^(?:COALESCE|IFNULL|NVL|NULLIF|GREATEST|LEAST|MAX|MIN)$/, () => true],
  [/^(?:ANY|FIRST|LAST|NTH)_VALUE$/, (at) => at === 0],
  [/^(?:LAG|LEAD)$/, (at) => at === 0 || at === 2],
  [/^I?IF$/, (at) => at > 0],
]

/**
 * Which arguments an SQL function answers as they are; undefined for a function that makes something else of them.
 *
 * @example
 * ['a', 'b', 'c'].filter((_, at) => answeredArguments('lag')?.(at)) // ['a', 'c']
 */
export const answeredArguments = (name: string): ((argument: number) => boolean) | undefined =>
  ANSWERING.find(([names]) => names.test(name.toUpperCase()))?.[1]

const OTHER_RESULTS =
  /^(?:count|length|octet_length|char_length|character_length|bit_length|row_number|rank|dense_rank|percent_rank|cume_dist|ntile|grouping|typeof|pg_typeof|pg_column_size|array_length|cardinality|bool_and|bool_or|every|hash|exists|.*_(?:time|is_valid|meta|partition|between)(?:_.*)?)$/

/**
 * Whether an SQL function answers something that none of its arguments is a part of.
 *
 * @example
 * ['count', 'concat'].map(answersOther) // [true, false]
 */
export const answersOther = (name: string): boolean => OTHER_RESULTS.test(name.toLowerCase())

/** Calls in calls are asked for at each level. */
const answered = new WeakMap<Item, Operand[][]>()

/** What the arguments are that a function answers. */
function answeredBy(name: string, brackets: Item): Operand[][] {
  const known = answered.get(brackets)
  if (known) return known
  const isAnswered = answeredArguments(name)
  const found = isAnswered
    ? expressionsIn(brackets)
        .filter((_, at) => isAnswered(at))
        .map(termsOf)
    : []
  answered.set(brackets, found)
  return found
}

/** The results of a CASE. */
const resultsOf = ({ inside = [] }: Item): Item[][] =>
  divided(inside, /^(?:THEN|ELSE)$/)
    .slice(1)
    .map((part) => divided(part, /^WHEN$/)[0] as Item[])

/** What has one storage besides comparisons: a function's arguments and a case's results; an array and elements. */
function uniting(item: Item, next: Item | undefined): Found[] {
  const united = (parts: readonly Operand[][]): Found => ({ rows: parts.map((part) => [part]) })
  if (item.text === 'CASE') {
    const [matched = [], ...whens] = divided(item.inside ?? [], /^WHEN$/)
    const cases = whens.map((part) => divided(part, /^THEN$/)[0] as Item[])
    const compared = matched.length > 0 ? [united([matched, ...cases].map(termsOf))] : []
    return [united(resultsOf(item).map(termsOf)), ...compared]
  }
  if (next?.text !== '(') return []
  if (!/^ARRAY_(?:POSITIONS?|APPEND|PREPEND|REMOVE|REPLACE)$/.test(item.text)) {
    return [united(answeredBy(item.text, next))]
  }
  const given = expressionsIn(next)
  const array = item.text === 'ARRAY_PREPEND' ? given.pop() : given.shift()
  return [{ ...united(given.map(termsOf)), array: termsOf(array ?? [])[0]?.chunk }]
}

/** The chunks, or columns, whose value an expression can have. */
function termsOf(items: readonly Item[]): Operand[] {
  const [first, second, ...more] = items
  if (first === undefined) return []
  if (first.chunk !== undefined) {
    if (second === undefined) return [{ chunk: first.chunk, isCast: false }]
    // The chunk is the table.
    if (second.text === '.' && more.length === 1) return [{ name: more[0]?.name as string, isCast: false }]
    const isCast = second.text === '::' && more.every(({ inside, text }) => inside || /^\w+$/.test(text))
    return isCast ? [{ chunk: first.chunk, isCast }] : []
  }
  const { name, written } = first
  if (name !== undefined && second === undefined) return [{ name, isCast: false }]
  if (written !== undefined && (second === undefined || second.text === '::'))
    return [{ written, isCast: second !== undefined }]
  if (first.text === '(' && second === undefined) return termsOf(first.inside as Item[])
  if (first.text === 'CASE' && second === undefined) return resultsOf(first).flatMap(termsOf)
  if (first.text === 'SELECT') return termsOf(divided(items.slice(1), /^(?:FROM|,)$/)[0] as Item[])
  const isCall =
    second?.text === '(' && (more.length === 0 || /^(?:OVER|FILTER)$/.test(more[0]?.text as string))
  return isCall ? answeredBy(first.text, second).flat() : []
}

const JSON_READER =
  /^(?:JSONB?_(?:EACH|TREE|TABLE|ARRAY_ELEMENTS|TO_RECORD|POPULATE_RECORD|CONTAINS|OVERLAPS|EXTRACT)|UNNEST)/

function jsonIn(items: readonly Item[], chunks: number[] = []): number[] {
  for (const [at, { text, inside }] of items.entries()) {
    if (inside) jsonIn(inside, chunks)
    if (!JSON_READER.test(text)) continue
    for (const { chunk } of items[at + 1]?.inside ?? []) if (chunk !== undefined) chunks.push(chunk)
  }
  return chunks
}

const operandsIn = (items: readonly Item[]): Operand[] =>
  items.flatMap((item) => (item.inside ? operandsIn(item.inside) : termsOf([item])))

const LIMITS = /^(?:FROM|WHERE|UNION|INTERSECT|EXCEPT|ORDER|LIMIT|AS|SEPARATOR)$/
const ASIDE = /^(?:OVER|FILTER|GROUP)$/
const TRUTH = /^(?:AND|OR|NOT|EXISTS)$/

/** What a value is made of. */
function partsOf(items: readonly Item[], dialect: Database): Operand[] {
  const [first = [], ...selects] = divided(items, /^SELECT$/)
  const parts = (selects.length > 0 ? selects : [first]).map((part) => divided(part, LIMITS)[0] as Item[])
  return parts.flatMap((part) => divided(part, /^,$/)).flatMap((part) => partsOfOne(part, dialect))
}

function partsOfOne(items: readonly Item[], dialect: Database): Operand[] {
  if (items.some(({ text }, at) => TRUTH.test(text) || operatorAt(items, at, dialect) !== null)) return []
  return items.flatMap((item, at): Operand[] => {
    const { text, chunk, name, written, inside } = item
    const before = items[at - 1]?.text ?? ''
    const next = items[at + 1]?.text
    if (before === '::' || next === '.') return []
    if (text === 'CASE') return resultsOf(item).flatMap((part) => partsOf(part, dialect))
    if (inside) return ASIDE.test(before) || answersOther(before) ? [] : partsOf(inside, dialect)
    if (chunk !== undefined) return [{ chunk, isCast: false }]
    if (written !== undefined) return [{ written, isCast: false }]
    return name === undefined || next === '(' ? [] : [{ name, isCast: false }]
  })
}

const LOGIC = /^(?:[;]|AND|OR|NOT|WHEN|THEN|ELSE|SELECT|WHERE|FROM)$/

/** The chunks of each expression between words of logic and commas; a call's arguments belong to what is around. */
function expressionsOf(items: readonly Item[]): number[][] {
  const nested: Item[][] = []
  const chunksOf = ({ chunk, inside }: Item): number[] => {
    if (inside === undefined) return chunk === undefined ? [] : [chunk]
    if (!inside.some(({ text }) => LOGIC.test(text))) return inside.flatMap(chunksOf)
    nested.push(inside)
    return []
  }
  const expressions: number[][] = []
  for (let level: readonly Item[][] = [items as Item[]]; level.length > 0; level = nested.splice(0)) {
    for (const one of level) for (const part of divided(one, ENDS)) expressions.push(part.flatMap(chunksOf))
  }
  return expressions
}
