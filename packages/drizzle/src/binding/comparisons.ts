import type { Database } from '@snoflax/core'
import { closingOf, isWord, openingOf, readSql, type SqlToken, splitAtCommas } from '@snoflax/core/adapter'

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
  readonly list?: number
  /** A chunk that is an array: `= any(${ids})`. */
  readonly array?: number
  /** Whether texts are matched by a pattern, as `like` does. */
  readonly isPattern?: boolean
}

/** How a chunk that is no text stands in the SQL: by a sign that no SQL has. */
const MARK = '\uE000'
export const markOf = (chunk: number): string => `${MARK}${chunk}${MARK}`
export const withoutMarks = (text: string): string => text.replaceAll(MARK, ' ')
const PLACEHOLDER = new RegExp(`${MARK}\\d+${MARK}`)

const COMPARED = new Set(['=', '==', '<>', '!=', '<', '<=', '>', '>=', '<=>', '@>', '<@', '&&'])
const MATCHED = new Set(['~', '~*', '!~', '!~*', '~~', '~~*'])
const PATTERNS = ['LIKE', 'ILIKE', 'GLOB', 'MATCH', 'REGEXP', 'RLIKE', 'SIMILAR', 'SOUNDS']
const WORDS = ['IS', 'IN', 'BETWEEN', ...PATTERNS]
const ENDS = (
  'AND OR NOT WHEN THEN ELSE END CASE WHERE ON HAVING SELECT DISTINCT ALL FROM AS BY GROUP ORDER LIMIT OFFSET ' +
  'UNION INTERSECT EXCEPT RETURNING SET VALUES USING ASC DESC WINDOW FILTER OVER ESCAPE'
).split(' ')

const ANY_OPERATOR = new RegExp(`[=<>~]|&&|\\b(?:${WORDS.join('|')})\\b`, 'i')

/** Whether a text could have the operator of a comparison. */
export const mayCompare = (text: string): boolean => ANY_OPERATOR.test(text)

const KEPT = 500
const known = new Map<string, readonly Comparison[]>()

/** The comparisons in SQL whose chunks are marked. An application has few texts, so they are read once. */
export function comparisonsIn(sql: string, dialect: Database): readonly Comparison[] {
  const key = `${dialect} ${sql}`
  const found = known.get(key) ?? new Reader(sql, dialect).comparisons()
  if (known.size >= KEPT) known.clear()
  known.set(key, found)
  return found
}

/** A range of tokens, up to and without the last. */
type Range = readonly [from: number, to: number]

interface Operator extends Pick<Comparison, 'operator'> {
  readonly kind: 'compare' | 'pattern' | 'in' | 'between'
  readonly range: Range
}

class Reader {
  private readonly tokens: SqlToken[]

  constructor(
    sql: string,
    private readonly dialect: Database,
  ) {
    this.tokens = readSql(sql, { dialect, placeholder: PLACEHOLDER })
  }

  comparisons(): Comparison[] {
    const found: Comparison[] = []
    for (let at = 0; at < this.tokens.length; at++) {
      const operator = this.operatorAt(at)
      if (operator === undefined) continue
      found.push(this.comparisonBy(operator))
      at = operator.range[1] - 1
    }
    return found
  }

  private operatorAt(at: number): Operator | undefined {
    const [token, next] = [this.tokens[at] as SqlToken, this.tokens[at + 1]]
    if (token.kind === 'operator') {
      if (this.isComparing(token.text)) return this.operator('compare', at, at + 1)
      return MATCHED.has(token.text) ? this.operator('pattern', at, at + 1) : undefined
    }
    const word = isWord(token, 'NOT') ? at + 1 : at
    if (!isWord(this.tokens[word], ...(word > at ? WORDS.slice(1) : WORDS))) return undefined
    if (isWord(token, 'IS')) return this.operator('compare', at, this.endOfIs(at + 1))
    if (isWord(this.tokens[word], 'IN')) return this.operator('in', at, word + 1)
    if (isWord(this.tokens[word], 'BETWEEN')) {
      const isQualified = isWord(this.tokens[word + 1], 'SYMMETRIC', 'ASYMMETRIC')
      return this.operator('between', at, isQualified ? word + 2 : word + 1)
    }
    const isOfTwo = isWord(this.tokens[word], 'SIMILAR', 'SOUNDS') && next !== undefined
    return this.operator('pattern', at, isOfTwo ? word + 2 : word + 1)
  }

  /** In MySQL `&&` is AND. */
  private isComparing(operator: string): boolean {
    return COMPARED.has(operator) && !(operator === '&&' && this.isMysql)
  }

  private get isMysql(): boolean {
    return this.dialect === 'mysql' || this.dialect === 'mariadb'
  }

  /** Behind `is [not] [distinct from]`. */
  private endOfIs(from: number): number {
    const at = isWord(this.tokens[from], 'NOT') ? from + 1 : from
    return isWord(this.tokens[at], 'DISTINCT') ? at + 2 : at
  }

  private operator(kind: Operator['kind'], from: number, to: number): Operator {
    const words = this.tokens.slice(from, to).map(({ text }) => text.toLowerCase())
    return { kind, operator: words.join(' '), range: [from, to] }
  }

  private comparisonBy({ kind, operator, range: [from, to] }: Operator): Comparison {
    const left = this.rowIn([this.startBefore(from), from])
    const right: Range = [to, this.endBehind(to)]
    switch (kind) {
      case 'compare':
        return { operator, ...this.compared(left, right) }
      case 'pattern':
        return { operator, rows: [left, this.termsIn(right)], isPattern: true }
      case 'in':
        return { operator, ...this.listed(left, right) }
      case 'between': {
        const upper = isWord(this.tokens[right[1]], 'AND') ? right[1] + 1 : right[1]
        return { operator, rows: [left, this.rowIn(right), this.rowIn([upper, this.endBehind(upper)])] }
      }
    }
  }

  private compared(left: Row, [from, to]: Range): Omit<Comparison, 'operator'> {
    if (isWord(this.tokens[from], 'BINARY')) return { rows: [left, this.rowIn([from + 1, to])] }
    if (!isWord(this.tokens[from], 'ANY', 'ALL', 'SOME')) return { rows: [left, this.rowIn([from, to])] }
    const inside = this.tokens.slice(from + 2, to - 1)
    if (isWord(inside[0], 'ARRAY')) {
      return { rows: [left, ...splitAtCommas(inside.slice(2, -1)).map((item) => [termsOf(item)])] }
    }
    const [array] = termsOf(inside)
    return { rows: [left], ...(array && { array: array.chunk }) }
  }

  private listed(left: Row, [from, to]: Range): Omit<Comparison, 'operator'> {
    const [list] = termsOf(this.tokens.slice(from, from + 1))
    if (list) return { rows: [left], list: list.chunk }
    const inside = this.tokens.slice(from + 1, to - 1)
    const items = isWord(inside[0], 'VALUES') ? inside.slice(1) : inside
    return { rows: [left, ...splitAtCommas(items).map(rowOf)] }
  }

  private rowIn([from, to]: Range): Row {
    return rowOf(this.tokens.slice(from, to))
  }

  /** All chunks, wherever they are in an expression. */
  private termsIn([from, to]: Range): Row {
    return this.tokens.slice(from, to).map((token) => termsOf([token]))
  }

  /** Where the expression before a token starts. */
  private startBefore(at: number): number {
    const around = this.tokens[at]?.open as number
    let start = at
    while (start - 1 > around && !this.isEnd(start - 1)) {
      const isBracket = this.tokens[start - 1]?.text === ')'
      start = isBracket ? Math.max(openingOf(this.tokens, start - 1), 0) : start - 1
    }
    return start
  }

  /** Where the expression that starts at a token ends. */
  private endBehind(at: number): number {
    let end = at
    while (end < this.tokens.length && this.tokens[end]?.text !== ')' && !this.isEnd(end)) {
      end = (this.tokens[end]?.text === '(' ? closingOf(this.tokens, end) : end) + 1
    }
    return end
  }

  private isEnd(at: number): boolean {
    const token = this.tokens[at] as SqlToken
    if (token.kind !== 'operator') return isWord(token, ...ENDS, ...WORDS) && !this.isQuantifier(at)
    return token.text === ',' || token.text === ';' || COMPARED.has(token.text) || MATCHED.has(token.text)
  }

  /** `all (…)`, not the ALL of `union all`. */
  private isQuantifier(at: number): boolean {
    return isWord(this.tokens[at], 'ALL') && this.tokens[at + 1]?.text === '('
  }
}

/** The expressions in brackets, or the one. */
function rowOf(tokens: readonly SqlToken[]): Row {
  const expression = isWord(tokens[0], 'ROW') ? tokens.slice(1) : tokens
  const isBracketed = expression[0]?.text === '(' && closingOf(expression, 0) === expression.length - 1
  if (!isBracketed) return [termsOf(tokens)]
  return splitAtCommas(expression.slice(1, -1)).map(termsOf)
}

const MARKED = new RegExp(`^${MARK}(\\d+)${MARK}$`)

function termsOf(tokens: readonly SqlToken[]): Term[] {
  const [first, second] = tokens
  const chunk = first?.kind === 'placeholder' ? MARKED.exec(first.text)?.[1] : undefined
  const isCast = second?.text === '::' && tokens.slice(2).every(({ text }) => /^[\w[\]]+$/.test(text))
  return chunk !== undefined && (second === undefined || isCast) ? [{ chunk: Number(chunk), isCast }] : []
}
