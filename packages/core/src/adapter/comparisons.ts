import { IdError } from '../primitives/errors.js'
import type { Database } from '../storage/column.js'
import { readSql, type SqlToken } from './read-sql.js'
import { isStatement, type Source, sourcesIn } from './sources.js'

/** A chunk that is a whole expression. With a cast a column is no id column anymore; a value is still an id. */
export interface Term {
  /** Number of the chunk. */
  readonly chunk: number
  /** Whether a cast follows. */
  readonly isCast: boolean
}

/** One side of a comparison: `(a, b)` is a row of two expressions, a bare value a row of one. */
export type Row = readonly (readonly Term[])[]

/** A comparison in SQL, with the numbers of its chunks. */
export interface Comparison {
  /** The sides: two, three for `between`, or all expressions that must have the same storage. */
  readonly rows: readonly Row[]
  /** The chunk that is the whole list of an IN: `in ${ids}`. */
  readonly list?: number | undefined
  /** The chunk that is an array: `= any(${ids})`. */
  readonly array?: number | undefined
  /** The operator, if it matches a pattern, as `like` does. */
  readonly pattern?: string | undefined
  /** Names of columns in the SQL text, without their tables, by position in the row. */
  readonly names: readonly (readonly string[])[]
  /** What stands before each of these names: a table or its alias. */
  readonly qualifiers: readonly (readonly (string | undefined)[])[]
  /** String literals in the SQL text, without quotes, by position in the row. */
  readonly texts: readonly (readonly string[])[]
}

/** What contributes to the value of an expression. What only selects, orders, counts or compares is left out. */
export interface Parts {
  /** Numbers of chunks. */
  readonly chunks: readonly number[]
  /** Names of columns in the SQL text, without their tables, and other words. */
  readonly names: readonly string[]
  /** String literals, without quotes. */
  readonly texts: readonly string[]
}

/** An alias, as in `max(id) as last`. */
export interface Alias {
  /** The alias, such as `last`. */
  readonly name: string
  /** Number of the chunk that it stands for. */
  readonly chunk?: number | undefined
  /** Name of the column that it stands for, if the SQL text contains it. */
  readonly column?: string | undefined
  /** Whether a cast follows the chunk. */
  readonly isCast: boolean
}

const MARK = '\uE000'

/**
 * The placeholder of a chunk, such as a column or a value, between characters that don't occur in SQL.
 *
 * @example
 * markOf(3).length // 3
 */
export const markOf = (chunk: number): string => `${MARK}${chunk}${MARK}`

/**
 * Removes mark characters from foreign text, so that it can't be mistaken for a mark.
 *
 * @example
 * withoutMarks(markOf(3)) // ' 3 '
 */
export const withoutMarks = (text: string): string => text.replaceAll(MARK, ' ')

/**
 * Replaces placeholders by marks of their values: `$2` and `?2` by number, `?` in order.
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

const WORDS = 'is|in|between|i?like|glob|match|regexp|rlike|similar|sounds|using'
const ANY_OPERATOR = new RegExp(`[=<>~]|&&|\\b(?:${WORDS})\\b|\\)\\s*(?:values|select)\\b`, 'i')

/**
 * Whether a text may contain a comparison operator. A quick test before reading the SQL.
 *
 * @example
 * mayCompare(' in ') // true
 */
export const mayCompare = (text: string): boolean => text !== '' && ANY_OPERATOR.test(text)

/** How SQL uses its chunks. */
export interface Reading {
  /** Comparisons, and expressions that must have the same storage because a function or CASE returns one of them. */
  readonly comparisons: readonly Comparison[]
  /** The chunks of each expression with more than one, including those in arguments of calls. */
  readonly expressions: readonly (readonly number[])[]
  /** The values that the SQL can have, if it is an expression. */
  readonly result: readonly Term[]
  /** What contributes to its value. */
  readonly parts: Parts
  /** The chunks that functions read as JSON, such as `json_each`. */
  readonly json: readonly number[]
  /** Everything in the SQL, if `json` has chunks; otherwise empty. */
  readonly all: Parts
  /** Its aliases. */
  readonly aliases: readonly Alias[]
  /** The tables that it names. */
  readonly sources: readonly Source[]
  /** Whether it is a whole statement, so that there are no other tables. */
  readonly isStatement: boolean
}

const KEPT = 500
const LONGEST_KEPT = 2000
const known = new Map<string, Reading>()

/**
 * Finds which chunks SQL compares with each other, for ORMs whose raw SQL mixes text with columns and values. Results
 * are cached, since an application has few different texts.
 *
 * @throws {IdError} `INVALID_OPTION` if brackets are nested too deep.
 *
 * @example
 * const { comparisons } = readComparisons(`${markOf(0)} = ${markOf(1)}`, 'sqlite')
 * comparisons[0].rows.map(([[term]]) => term.chunk) // [0, 1]
 */
export function readComparisons(sql: string, dialect: Database): Reading {
  const key = `${dialect} ${sql}`
  const reading = known.get(key) ?? readingOf(readSql(sql, { dialect, placeholder: MARKED }), dialect)
  if (known.size >= KEPT) known.clear()
  if (sql.length <= LONGEST_KEPT) known.set(key, reading)
  return reading
}

function readingOf(tokens: readonly SqlToken[], dialect: Database): Reading {
  const items = itemsOf(tokens)
  const json = jsonIn(items)
  return {
    comparisons: comparisonsIn(items, dialect)
      .filter(({ rows }) => rows.length > 0)
      .map((one) => ({
        ...one,
        rows: one.rows.map((row) => row.map(chunksOf)),
        names: inPlaces(one.rows, ({ name }) => name ?? []),
        qualifiers: inPlaces(one.rows, ({ name, qualifier }) => (name === undefined ? [] : [qualifier])),
        texts: inPlaces(one.rows, ({ written }) => written ?? []),
      })),
    expressions: expressionsOf(items).filter(({ length }) => length > 1),
    result: chunksOf(termsOf(items)),
    parts: namedParts(partsOf(items, dialect)),
    json,
    all: namedParts(json.length > 0 ? operandsIn(items) : []),
    aliases: aliasesIn(items, dialect),
    sources: sourcesIn(tokens, chunkOf),
    isStatement: isStatement(tokens),
  }
}

/** Appends to one list for all levels of brackets. */
function aliasesIn(items: readonly Item[], dialect: Database, aliases: Alias[] = []): Alias[] {
  for (const [at, { inside }] of items.entries()) {
    if (inside && items[at - 1]?.text !== 'CAST') aliasesIn(inside, dialect, aliases)
  }
  for (const part of divided(withoutHints(items), SOURCES)) {
    for (const [name, answer] of renamed(part, dialect)) {
      for (const { chunk, name: column, isCast } of termsOf(answer)) {
        if (name !== undefined) aliases.push({ name, chunk, column, isCast })
      }
    }
  }
  return aliases
}

/** Without what may stand between AS and the query of a CTE: `[NOT] MATERIALIZED`. */
const withoutHints = (items: readonly Item[]): Item[] =>
  items.filter(
    ({ text }, at) =>
      !(text === 'MATERIALIZED' || (text === 'NOT' && items[at + 1]?.text === 'MATERIALIZED')),
  )

type Renamed = readonly [name: string | undefined, answer: readonly Item[]]

/** `answer AS name` and `answer name`, both optionally with `(column, …)`, and `name (column, …) AS (answer)`. */
function renamed(part: readonly Item[], dialect: Database): Renamed[] {
  const as = part.findIndex(({ text }) => text === 'AS')
  const behind = as < 0 ? undefined : part[as + 1]
  if (behind?.text === '(') return renamedBy(undefined, part[as - 1], [behind])
  if (behind) return renamedBy(behind.name, part[as + 2], part.slice(0, as))
  if (part.some((_, at) => operatorAt(part, at, dialect) !== null)) return []
  const hasColumns = part.at(-1)?.text === '('
  const [before, name] = part.slice(hasColumns ? -3 : -2, hasColumns ? -1 : undefined)
  if (name === undefined || ASIDE.test(name.text) || before?.text === '::') return []
  return renamedBy(name.name, hasColumns ? part.at(-1) : undefined, part.slice(0, hasColumns ? -2 : -1))
}

function renamedBy(name: string | undefined, list: Item | undefined, answer: readonly Item[]): Renamed[] {
  const columns = list?.text === '(' ? expressionsIn(list) : []
  return rowsOf(answer).flatMap((answers) => [
    [name, answers.length === 1 ? (answers[0] as Item[]) : []],
    ...columns.map(([column], at): Renamed => [column?.name, answers[at] ?? []]),
  ])
}

/** The columns of a query, for each part of a union, of VALUES or of `unnest(…)`; for anything else, the expression itself. */
function rowsOf(items: readonly Item[]): (readonly Item[])[][] {
  const [first, second] = items
  if (first?.text === '(' && second === undefined) return rowsOf(first.inside as Item[])
  if (first?.text === 'UNNEST' && second?.text === '(') return [expressionsIn(second)]
  const listing = first?.text === 'WITH' ? items.findIndex(({ text }) => LISTING.test(text)) : -1
  if (listing !== -1) return rowsOf(items.slice(listing))
  if (first?.text === 'VALUES') {
    const [rows = []] = divided(items, VALUES_END)
    return rows.flatMap((one) => (one.text === '(' ? [expressionsIn(one)] : []))
  }
  if (first?.text !== 'SELECT') return [[items]]
  return divided(items, /^SELECT$/)
    .slice(1)
    .map((select) => divided(withoutDistinct(select), LIST_END)[0] as Item[])
    .map((list) => divided(list, /^,$/).map((one) => divided(one, /^AS$/)[0] as Item[]))
}

/** Without `DISTINCT`, `DISTINCT ON (…)` or `ALL`. */
function withoutDistinct(select: Item[]): Item[] {
  const [first, second] = select
  if (first?.text === 'DISTINCT' && second?.text === 'ON') return select.slice(3)
  return first?.text === 'DISTINCT' || first?.text === 'ALL' ? select.slice(1) : select
}

const LISTING = /^(?:SELECT|VALUES)$/
/** What ends the list of a SELECT. */
const LIST_END =
  /^(?:FROM|WHERE|GROUP|HAVING|WINDOW|UNION|INTERSECT|EXCEPT|ORDER|LIMIT|OFFSET|FETCH|ON|RETURNING|;)$/
/** What ends the rows of VALUES; AS is MySQL's alias of the new row. */
const VALUES_END = /^(?:AS|UNION|INTERSECT|EXCEPT|ORDER|LIMIT|OFFSET|FETCH|ON|RETURNING|;)$/

/** A chunk, a column named in the SQL text, or a string literal. */
interface Operand {
  readonly chunk?: number
  readonly name?: string
  readonly qualifier?: string | undefined
  readonly written?: string
  readonly isCast: boolean
}

type Found = Pick<Comparison, 'list' | 'array' | 'pattern'> & {
  readonly rows: readonly (readonly Operand[])[][]
}

function inPlaces<Part>(rows: Found['rows'], read: (operand: Operand) => Part | Part[]): Part[][] {
  const width = Math.max(...rows.map(({ length }) => length))
  return Array.from({ length: width }, (_, at) => rows.flatMap((row) => (row[at] ?? []).flatMap(read)))
}

const namedParts = (parts: readonly Operand[]): Parts => ({
  chunks: parts.flatMap(({ chunk }) => chunk ?? []),
  names: parts.flatMap(({ name }) => name ?? []),
  texts: parts.flatMap(({ written }) => written ?? []),
})

const chunksOf = (operands: readonly Operand[]): Term[] =>
  operands.flatMap(({ chunk, isCast }) => (chunk === undefined ? [] : [{ chunk, isCast }]))

/** A token, or a group: brackets with their content, or CASE to END. */
interface Item {
  /** Unquoted names and keywords are in upper case. Of a group, the opening token. */
  readonly text: string
  readonly chunk?: number
  /** For possible columns: the last part of the name, as written. */
  readonly name?: string | undefined
  /** The part before it. */
  readonly qualifier?: string | undefined
  /** For string literals: the text without quotes. */
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
        `the SQL nests parentheses ${DEEPEST} deep, too deep to find out what it compares with ids; split the statement`,
      )
    }
  }
  return around[0] as Item[]
}

/** Brackets are read recursively, and the stack is limited. */
const DEEPEST = 700

const OPENING = new Set(['(', '[', 'CASE'])
const CLOSING = new Set([')', ']', 'END'])

function itemOf(token: SqlToken): Item {
  const { kind, text, parts, isQuoted } = token
  const word = kind !== 'name' ? text : isQuoted ? `"${text}` : text.toUpperCase()
  if (OPENING.has(word)) return { text: word, inside: [] }
  const chunk = chunkOf(token)
  if (chunk !== undefined) return { text, chunk }
  return kind === 'string'
    ? { text, written: text.slice(1, -1) }
    : { text: word, name: parts.at(-1), qualifier: parts.at(-2) }
}

function chunkOf({ kind, text }: SqlToken): number | undefined {
  const chunk = kind === 'placeholder' ? MARKED.exec(text)?.[1] : undefined
  return chunk === undefined ? undefined : Number(chunk)
}

const COMPARED = '=|==|<>|!=|<|<=|>|>=|<=>|@>|<@|&&|IS(?: NOT)?(?: DISTINCT FROM)?'
const MATCHED = '!?~~?\\*?|(?:NOT )?(?:I?LIKE|GLOB|MATCH|REGEXP|RLIKE|SIMILAR TO)(?: BINARY)?|SOUNDS LIKE'
const OPERATOR = new RegExp(
  `^(?:(?<compared>${COMPARED})|(?<pattern>${MATCHED})|(?<in>(?:NOT )?IN)|` +
    '(?<between>(?:NOT )?BETWEEN(?: A?SYMMETRIC)?))(?= |$)',
)
const LONGEST = 4
const SEPARATORS =
  '[,;]|AND|OR|NOT|WHEN|THEN|ELSE|WHERE|ON|HAVING|SELECT|DISTINCT|FROM|BY|GROUP|ORDER|LIMIT|' +
  'OFFSET|UNION|INTERSECT|EXCEPT|RETURNING|SET|VALUES|USING|ASC|DESC|WINDOW|ESCAPE'
const ENDS = new RegExp(`^(?:${SEPARATORS}|AS)$`)
/** What stands between these may end with an alias. */
const SOURCES = new RegExp(`^(?:${SEPARATORS}|JOIN|LEFT|RIGHT|INNER|CROSS|FULL|NATURAL|LATERAL)$`)

/** Appends to one list for all levels of brackets. */
function comparisonsIn(items: readonly Item[], dialect: Database, comparisons: Found[] = []): Found[] {
  comparisons.push(...inserted(items))
  for (const [at, item] of items.entries()) {
    if (item.inside) comparisonsIn(item.inside, dialect, comparisons)
    comparisons.push(...uniting(item, items[at + 1]))
    if (item.text === 'USING' && items[at + 1]?.text === '(')
      comparisons.push(...namesakesIn(items[at + 1] as Item))
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
    const left = items.slice(start, at)
    start = at + operator.split(' ').length
    const right = upTo(start)
    comparisons.push(
      kind['between']
        ? { rows: [rowOf(left), rowOf(right), rowOf(upTo(start + right.length + 1))] }
        : kind['pattern']
          ? {
              rows: [rowOf(left), partsOf(right, dialect).map((part) => [part])],
              pattern: kind['pattern'].toLowerCase(),
            }
          : compared(left, right, kind['in'] !== undefined),
    )
    at = start - 1
  }
  return comparisons
}

/** The columns of `JOIN … USING (id)`, each of which is compared with its namesake. */
const namesakesIn = (brackets: Item): Found[] =>
  expressionsIn(brackets).map((one) => ({ rows: [[termsOf(one)]] }))

/** The columns of an INSERT and what it writes to them: VALUES, or the columns of a query. */
function inserted(items: readonly Item[]): Found[] {
  const into = items.findIndex(({ text }) => text === 'INTO')
  const at = items.findIndex(
    ({ text }, index) => index > into && /^(?:\(|WITH|FROM|SELECT|VALUES)$/.test(text),
  )
  const columns = items[at]
  const rest = items.slice(at + 1)
  const start = rest.findIndex(({ text }) => /^(?:\(|WITH|SELECT|VALUES)$/.test(text))
  if (into === -1 || columns?.text !== '(' || start === -1) return []
  const query = rest.slice(start, rest[start]?.text === '(' ? start + 1 : undefined)
  return [{ rows: [rowOf([columns]), ...rowsOf(query).map((row) => row.map(termsOf))] }]
}

function operatorAt(items: readonly Item[], at: number, dialect: Database): RegExpExecArray | null {
  // && is AND in MySQL and SQLite has none.
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

function compared(left: readonly Item[], right: readonly Item[], isIn: boolean): Found {
  const [first, second, third] = right
  if (isIn) {
    if (first?.inside === undefined) return { rows: [rowOf(left)], list: first?.chunk }
    return { rows: [rowOf(left), ...expressionsIn(first).map(rowOf)] }
  }
  if (first?.text === 'BINARY') return { rows: [rowOf(left), rowOf(right.slice(1))] }
  if (/^(?:ANY|ALL|SOME)$/.test(first?.text ?? '')) {
    return besideArray([rowOf(left)], third === undefined ? (second?.inside ?? []) : [])
  }
  if (isArray(left)) return besideArray(elementsOf(left), right)
  return isArray(right) ? besideArray(elementsOf(right), left) : { rows: [rowOf(left), rowOf(right)] }
}

const isArray = ([first, second]: readonly Item[]): boolean => first?.text === 'ARRAY' && second?.text === '['

const elementsOf = ([, brackets]: readonly Item[]): Found['rows'] => expressionsIn(brackets).map(rowOf)

/** A comparison with the elements of an array: of `array[…]`, of a chunk, or of a column named in the SQL text. */
function besideArray(rows: Found['rows'], array: readonly Item[]): Found {
  if (isArray(array)) return { rows: [...rows, ...elementsOf(array)] }
  const terms = termsOf(array)
  const named = terms.filter(({ name }) => name !== undefined)
  return { rows: [...rows, ...named.map((one) => [[one]])], array: terms[0]?.chunk }
}

/** The expressions in brackets, or the expression itself. */
function rowOf(items: readonly Item[]): Operand[][] {
  const [brackets, more] = items[0]?.text === 'ROW' ? items.slice(1) : items
  return brackets?.text === '(' && more === undefined
    ? expressionsIn(brackets).map(termsOf)
    : [termsOf(items)]
}

/** The comma-separated expressions in brackets, without the keyword VALUES. */
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

/** Functions that return one of their arguments, and which arguments those are. */
const ANSWERING: readonly (readonly [names: RegExp, isAnswered: (argument: number) => boolean])[] = [
  [/^(?:COALESCE|IFNULL|NVL|NULLIF|GREATEST|LEAST|MAX|MIN)$/, () => true],
  [/^(?:ANY|FIRST|LAST|NTH)_VALUE$/, (at) => at === 0],
  [/^(?:LAG|LEAD)$/, (at) => at === 0 || at === 2],
  [/^I?IF$/, (at) => at > 0],
]

/**
 * Which arguments an SQL function can return unchanged; undefined for functions that return something else.
 *
 * @example
 * ['a', 'b', 'c'].filter((_, at) => returnedArguments('lag')?.(at)) // ['a', 'c']
 */
export const returnedArguments = (name: string): ((argument: number) => boolean) | undefined =>
  ANSWERING.find(([names]) => names.test(name.toUpperCase()))?.[1]

const OTHER_RESULTS =
  /^(?:count|length|octet_length|char_length|character_length|bit_length|row_number|rank|dense_rank|percent_rank|cume_dist|ntile|grouping|typeof|pg_typeof|pg_column_size|array_length|cardinality|bool_and|bool_or|every|hash|exists|.*_(?:time|is_valid|meta|partition|between)(?:_.*)?)$/

/** Whether the result of an SQL function never contains its arguments. */
const discardsArguments = (name: string): boolean => OTHER_RESULTS.test(name.toLowerCase())

/** A cache, since nested calls are read again at each level. */
const answered = new WeakMap<Item, Operand[][]>()

/** The arguments that a function can return. */
function answeredBy(name: string, brackets: Item): Operand[][] {
  const known = answered.get(brackets)
  if (known) return known
  const isAnswered = returnedArguments(name)
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

/** Expressions with one storage outside comparisons: arguments of a function, results of a CASE, an array's elements. */
function uniting(item: Item, next: Item | undefined): Found[] {
  const united = (parts: readonly Operand[][]): Found => ({ rows: parts.map((part) => [part]) })
  if (item.text === 'CASE') {
    const [matched = [], ...whens] = divided(item.inside ?? [], /^WHEN$/)
    const cases = whens.map((part) => divided(part, /^THEN$/)[0] as Item[])
    const compared = matched.length > 0 ? [united([matched, ...cases].map(termsOf))] : []
    return [united(resultsOf(item).map(termsOf)), ...compared]
  }
  if (next?.text !== '(') return []
  // MySQL's FIELD(value, one, another) answers which one equals the value.
  if (item.text === 'FIELD') return [united(expressionsIn(next).map(termsOf))]
  if (!/^ARRAY_(?:POSITIONS?|APPEND|PREPEND|REMOVE|REPLACE)$/.test(item.text)) {
    return [united(answeredBy(item.text, next))]
  }
  const given = expressionsIn(next)
  const array = item.text === 'ARRAY_PREPEND' ? given.pop() : given.shift()
  return [besideArray(united(given.map(termsOf)).rows, array ?? [])]
}

/** The chunks, columns and literals whose value an expression can have. */
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
  const { name, qualifier, written } = first
  const isElement = items.slice(1).every(({ text }) => text === '[')
  if (name !== undefined && isElement) return [{ name, qualifier, isCast: false }]
  if (written !== undefined && (second === undefined || second.text === '::'))
    return [{ written, isCast: second !== undefined }]
  if (first.text === '(' && second === undefined) return termsOf(first.inside as Item[])
  if (first.text === 'CASE' && second === undefined) return resultsOf(first).flatMap(termsOf)
  if (first.text === 'CAST' && second?.text === '(') return castIn(second)
  if (first.text === 'SELECT') return termsOf(divided(items.slice(1), /^(?:FROM|,)$/)[0] as Item[])
  const isCall =
    second?.text === '(' && (more.length === 0 || /^(?:OVER|FILTER)$/.test(more[0]?.text as string))
  if (!isCall) return []
  // A chunk is a whole array, whose elements are compared.
  if (first.text === 'UNNEST') return termsOf(second.inside as Item[]).filter((one) => one.name !== undefined)
  return answeredBy(first.text, second).flat()
}

/** A chunk or literal in `CAST(… AS type)`; a column is no id column anymore. */
const castIn = ({ inside = [] }: Item): Operand[] =>
  termsOf(divided(inside, /^AS$/)[0] as Item[]).flatMap((one) =>
    one.name === undefined ? [{ ...one, isCast: true }] : [],
  )

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

const LIMITS = /^(?:FROM|WHERE|UNION|INTERSECT|EXCEPT|ORDER|LIMIT|SEPARATOR)$/
const ASIDE = /^(?:OVER|FILTER|GROUP)$/
const TRUTH = /^(?:AND|OR|NOT|EXISTS)$/

/** What contributes to a value. */
function partsOf(items: readonly Item[], dialect: Database): Operand[] {
  const [first = [], ...selects] = divided(items, /^SELECT$/)
  const parts = (selects.length > 0 ? selects : [first]).map((part) => divided(part, LIMITS)[0] as Item[])
  return parts
    .flatMap((part) => divided(part, /^,$/))
    .flatMap((part) => partsOfOne(divided(part, /^AS$/)[0] as Item[], dialect))
}

function partsOfOne(items: readonly Item[], dialect: Database): Operand[] {
  if (items.some(({ text }, at) => TRUTH.test(text) || operatorAt(items, at, dialect) !== null)) return []
  return items.flatMap((item, at): Operand[] => {
    const { text, chunk, name, written, inside } = item
    const before = items[at - 1]?.text ?? ''
    const next = items[at + 1]?.text
    if (before === '::' || next === '.') return []
    if (text === 'CASE') return resultsOf(item).flatMap((part) => partsOf(part, dialect))
    if (inside) return ASIDE.test(before) || discardsArguments(before) ? [] : partsOf(inside, dialect)
    if (chunk !== undefined) return [{ chunk, isCast: false }]
    if (written !== undefined) return [{ written, isCast: false }]
    return name === undefined || next === '(' ? [] : [{ name, isCast: false }]
  })
}

const LOGIC = /^(?:[;]|AND|OR|NOT|WHEN|THEN|ELSE|SELECT|WHERE|FROM)$/

/** The chunks of each expression between logical keywords and commas, with the arguments of its calls. */
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
