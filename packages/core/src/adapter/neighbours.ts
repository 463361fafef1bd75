import { isWord, type SqlToken } from './read-sql.js'

/** A place of a row: the operands that are compared with each other there. */
type Place = readonly SqlToken[]
/** One side of a comparison: `(a, b)` has two places, a bare operand one. */
type Row = readonly Place[]

const NOTHING: Row = []
/** Brackets in brackets that are looked into: a list of rows has two levels. */
const DEEPEST = 4
const BEFORE_ROWS = 'AND OR NOT WHERE ON HAVING SET WHEN THEN ELSE SELECT RETURNING BY ROW CASE'.split(' ')
const COMPARING = new Set(['=', '==', '<>', '!=', '<', '<=', '>', '>=', '<=>', '@>', '<@', '&&'])

/**
 * The columns that the placeholders, string literals and other columns of SQL stand beside: `column op value` in either order, lists,
 * `BETWEEN`, `= ANY(…)`, rows of values, `SET`, and the VALUES of an INSERT that lists its columns. Operands that are a part
 * of a larger expression stand beside nothing. It takes time in proportion to the number of tokens.
 *
 * @param isColumn whether a placeholder is a column; names are.
 *
 * @example
 * const tokens = readSql('SELECT * FROM orders o WHERE o.id = $1 FOR UPDATE', { dialect: 'postgres' })
 * const [[value, [column]]] = neighbours(tokens)
 * column.parts // ['o', 'id']
 */
export function neighbours(
  tokens: readonly SqlToken[],
  isColumn: (placeholder: SqlToken) => boolean = () => false,
): Map<SqlToken, readonly SqlToken[]> {
  const reader = new Reader(tokens, isColumn)
  const found = new Map<SqlToken, readonly SqlToken[]>()
  for (const rows of reader.comparisons()) {
    const width = rows.reduce((most, { length }) => Math.max(most, length), 0)
    for (let at = 0; at < width; at++) {
      const operands = rows.flatMap((row) => row[at] ?? [])
      const isName = (one: SqlToken) => one.kind === 'name' || (one.kind === 'placeholder' && isColumn(one))
      const columns = operands.filter(isName)
      if (columns.length === 0) continue
      for (const one of operands) {
        if (isName(one) && columns.length === 1) continue
        // The values of a list share one array, by which callers recognize them.
        const others = isName(one) ? columns.filter((column) => column !== one) : columns
        const before = found.get(one)
        found.set(one, before ? [...before, ...others] : others)
      }
    }
  }
  return found
}

class Reader {
  /** The index of the bracket that closes or opens each bracket. */
  private readonly partner = new Map<number, number>()

  constructor(
    private readonly tokens: readonly SqlToken[],
    private readonly isColumn: (placeholder: SqlToken) => boolean,
  ) {
    const open: number[] = []
    for (const [at, { text }] of tokens.entries()) {
      if (text === '(' || text === '[') open.push(at)
      else if (text === ')' || text === ']') {
        const opening = open.pop()
        if (opening === undefined) continue
        this.partner.set(opening, at).set(at, opening)
      }
    }
  }

  /** For each comparison its sides, and for each INSERT its columns and its rows of values. */
  *comparisons(): Generator<readonly Row[]> {
    for (let at = 0; at < this.tokens.length; at++) {
      if (isWord(this.tokens[at], 'VALUES', 'VALUE')) yield this.inserted(at)
      const [kind, end] = this.operator(at)
      if (kind === undefined) continue
      const left = this.endingAt(at - 1)
      if (kind === 'in') yield [left, ...this.list(end)]
      else if (kind === 'between') yield [left, ...this.bounds(end)]
      else yield [left, this.startingAt(end)[0]]
      at = end - 1
    }
  }

  /** The operator that begins at an index, and the index behind it. */
  private operator(at: number): [kind: 'compared' | 'in' | 'between' | undefined, end: number] {
    const word = (from: number, ...words: readonly string[]) => isWord(this.tokens[from], ...words)
    if (COMPARING.has(this.tokens[at]?.text as string)) return ['compared', at + 1]
    if (word(at, 'IS')) {
      const test = word(at + 1, 'NOT') ? at + 2 : at + 1
      return ['compared', word(test, 'DISTINCT') && word(test + 1, 'FROM') ? test + 2 : test]
    }
    const test = word(at, 'NOT') ? at + 1 : at
    if (word(test, 'IN')) return ['in', test + 1]
    if (!word(test, 'BETWEEN')) return [undefined, at]
    return ['between', word(test + 1, 'SYMMETRIC', 'ASYMMETRIC') ? test + 2 : test + 1]
  }

  /** The operand that ends at an index. */
  private endingAt(index: number): Row {
    let at = index
    let open: number | undefined
    for (;;) {
      open = this.tokens[at]?.text === ')' ? this.partner.get(at) : undefined
      // Of a cast, perhaps to varchar(40).
      const type = open === undefined ? at : open - 1
      if (this.tokens[type - 1]?.text === '::') at = type - 2
      else if (isWord(this.tokens[at - 1], 'COLLATE')) at -= 2
      else break
    }
    const column = open === undefined ? undefined : this.castIn(open - 1)
    if (column && this.mayStart((open as number) - 1)) return [[column]]
    if (open === undefined)
      return this.isOperand(at) && this.mayStart(at) ? [[this.tokens[at] as SqlToken]] : NOTHING
    return this.isCall(open) ? NOTHING : this.itemsIn(open).map((row) => row.flat())
  }

  /** The operand that begins at an index, and the index behind it. */
  private startingAt(start: number, depth = 0): [row: Row, end: number] {
    const at = isWord(this.tokens[start], 'ROW') ? start + 1 : start
    const column = this.castIn(start)
    if (column) {
      const end = this.behindSuffix((this.partner.get(start + 1) ?? this.tokens.length) + 1)
      return this.mayEnd(end) ? [[[column]], end] : [NOTHING, end]
    }
    const isAny = isWord(this.tokens[start], 'ANY', 'ALL', 'SOME')
    const open = isAny ? start + 1 : at
    const close = this.tokens[open]?.text === '(' ? this.partner.get(open) : undefined
    if (close !== undefined) {
      const array = isAny && isWord(this.tokens[open + 1], 'ARRAY') ? open + 2 : open
      const items = depth < DEEPEST ? this.itemsIn(array, depth + 1) : []
      const row = isAny ? [items.flat(2)] : items.map((one) => one.flat())
      return this.mayEnd(this.behindSuffix(close + 1)) ? [row, close + 1] : [NOTHING, close + 1]
    }
    const end = this.behindSuffix(at + 1)
    return this.isOperand(at) && this.mayEnd(end) ? [[[this.tokens[at] as SqlToken]], end] : [NOTHING, end]
  }

  /** The rows of `IN (…)`, or the one value that is the whole list. */
  private list(start: number): readonly Row[] {
    return this.tokens[start]?.text === '(' ? this.itemsIn(start) : [this.startingAt(start)[0]]
  }

  private bounds(start: number): readonly Row[] {
    const [from, end] = this.startingAt(start)
    return isWord(this.tokens[end], 'AND') ? [from, this.startingAt(end + 1)[0]] : [from]
  }

  /** The columns and rows of `INSERT INTO t (…) VALUES (…), (…)`. */
  private inserted(values: number): readonly Row[] {
    const before = isWord(this.tokens[values - 3], 'OVERRIDING') ? values - 4 : values - 1
    const open = this.tokens[before]?.text === ')' ? this.partner.get(before) : undefined
    const head = open === undefined ? [] : this.tokens.slice(Math.max(0, open - 4), open)
    if (open === undefined || !head.some((token) => isWord(token, 'INTO', 'INSERT', 'REPLACE'))) return []
    const rows: Row[] = [this.itemsIn(open).map((row) => row.flat())]
    for (let at = values + 1; this.tokens[at]?.text === '('; at += 2) {
      rows.push(this.itemsIn(at).map((row) => row.flat()))
      at = this.partner.get(at) ?? this.tokens.length
      if (this.tokens[at + 1]?.text !== ',') break
    }
    return rows
  }

  /** The items of a bracket, each as a row. An item that is not a single operand or a row has no operands. */
  private itemsIn(open: number, depth = 0): Row[] {
    const close = this.partner.get(open) ?? this.tokens.length
    if (isWord(this.tokens[open + 1], 'SELECT')) return this.selected(open + 2)
    const items: Row[] = []
    for (let start = open + 1; start < close; ) {
      let end = start
      while (end < close && this.tokens[end]?.text !== ',') {
        end = (this.isOpening(end) ? (this.partner.get(end) ?? close) : end) + 1
      }
      items.push(this.item(start, end, depth))
      start = end + 1
    }
    return items
  }

  private item(start: number, end: number, depth: number): Row {
    const [row, behind] = this.startingAt(start, depth)
    return behind === end ? row : NOTHING
  }

  /** The one column that a subquery selects. */
  private selected(start: number): Row[] {
    const at = isWord(this.tokens[start], 'DISTINCT') ? start + 1 : start
    const column = this.tokens[at]
    const alias = at + (isWord(this.tokens[at + 1], 'AS') ? 2 : 1)
    const isEnd = (end: number) => this.tokens[end]?.text === ')' || isWord(this.tokens[end], 'FROM')
    const isOne = isEnd(alias) || isEnd(alias + 1)
    return column?.kind === 'name' && isOne ? [[[column]]] : []
  }

  /** The column of `CAST(column AS …)`. A value there has the type that it is cast to. */
  private castIn(at: number): SqlToken | undefined {
    const column = this.tokens[at + 2]
    const isCast = isWord(this.tokens[at], 'CAST') && isWord(this.tokens[at + 3], 'AS')
    const isOne = column?.kind === 'name' || (column?.kind === 'placeholder' && this.isColumn(column))
    return isCast && isOne ? column : undefined
  }

  private isOpening(at: number): boolean {
    return this.tokens[at]?.text === '(' || this.tokens[at]?.text === '['
  }

  private isOperand(at: number): boolean {
    const { kind } = this.tokens[at] ?? {}
    return (
      kind === 'placeholder' || kind === 'string' || (kind === 'name' && this.tokens[at + 1]?.text !== '(')
    )
  }

  /** Behind casts and collations. */
  private behindSuffix(index: number): number {
    let at = index
    for (;;) {
      if (this.tokens[at]?.text === '::') {
        at += 2
        while (this.isOpening(at)) at = (this.partner.get(at) ?? this.tokens.length) + 1
      } else if (isWord(this.tokens[at], 'COLLATE')) at += 2
      else return at
    }
  }

  /** Whether an operand can begin behind the token before an index: a keyword, a bracket or a comma. */
  private mayStart(at: number): boolean {
    const before = this.tokens[at - 1]
    return (
      before === undefined || /^[([,;]$/.test(before.text) || (before.kind === 'name' && !before.isQuoted)
    )
  }

  /** Whether a function or the like stands before a bracket. */
  private isCall(open: number): boolean {
    const before = this.tokens[open - 1]
    return before?.kind === 'name' ? !isWord(before, ...BEFORE_ROWS) : !this.mayStart(open)
  }

  private mayEnd(at: number): boolean {
    const behind = this.tokens[at]
    return behind === undefined || /^[)\],;]$/.test(behind.text) || behind.kind === 'name'
  }
}
