import type { Database } from '@snoflax/core'

/** A token of SQL. White space and comments have none. */
export interface SqlToken {
  /** Keywords and functions are names; brackets, commas and semicolons are operators. */
  readonly kind: 'name' | 'string' | 'number' | 'placeholder' | 'operator'
  /** As it is written. */
  readonly text: string
  /** Index of its first character. */
  readonly start: number
  /** Index of the character behind it. */
  readonly end: number
  /** The parts of a name without quotes, as in `"o"."id"` or `o.*`. Empty for other tokens. */
  readonly parts: readonly string[]
  /** Whether a part of the name is quoted, so that it is not a keyword and keeps its case. */
  readonly isQuoted: boolean
  /** Index of the token that opens the parentheses around it; -1 if there are none. */
  readonly open: number
}

/**
 * As text of a regular expression. Of comments, strings and quoted names only the beginning: one that matched them whole
 * would need a stack as deep as they are long.
 */
interface Grammar {
  readonly comment: string
  readonly string: string
  readonly quotedName: string
  readonly placeholder: string
}

/** In `/*! … *\/` the server runs what is inside, so only the ends are comments. MariaDB has `/*M! … *\/` besides. */
const mysql = (begin: string): Grammar => ({
  comment: String.raw`--(?=\s|$)|#|/\*${begin}\d*|/\*`,
  string: String.raw`[bBnNxX]?'|_\w+\s*'|"`,
  quotedName: '`',
  placeholder: String.raw`\?`,
})

const EXECUTABLE = /^\/\*M?!\d*$/

const GRAMMARS: Readonly<Record<Database, Grammar>> = {
  postgres: {
    comment: String.raw`--|/\*`,
    string: String.raw`(?:[bBeEnNxX]|[uU]&)?'|\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$`,
    quotedName: '(?:[uU]&)?"',
    placeholder: String.raw`\$\d+`,
  },
  sqlite: {
    comment: String.raw`--|/\*`,
    string: "[xX]?'",
    quotedName: '["`[]',
    placeholder: String.raw`\?\d*|[:@$][\p{L}\p{N}_]+`,
  },
  mysql: mysql('!'),
  mariadb: mysql('M?!'),
}

const NUMBER = String.raw`0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`
const WORD = String.raw`[\p{L}_]`
const DOT = /\s*\.\s*/y
const OPERATOR = String.raw`::|:=|<=>|->>|->|#>>|#>|<->|<@|@>|&&|\|\||!~\*|!~|~\*|~~\*|~~|<=|>=|<>|!=|==|[^]`

/** A dialect's pattern, made on first use: importing this entry would take a third longer with all of them. */
const patterns = (pattern: (grammar: Grammar) => string): ((dialect: Database) => RegExp) => {
  const made: Partial<Record<Database, RegExp>> = {}
  return (dialect) => (made[dialect] ??= new RegExp(pattern(GRAMMARS[dialect]), 'yu'))
}

const partOf = /* @__PURE__ */ patterns(({ quotedName }) => `${quotedName}|${WORD}|\\*`)

const tokenOf = /* @__PURE__ */ patterns(
  ({ comment, string, quotedName, placeholder }) =>
    `(\\s+)|(${comment})|(${string})|(${quotedName}|${WORD})|(::)|(${placeholder})|(${NUMBER})|${OPERATOR}`,
)

/** By the groups of the pattern: numbers, since names cost several times as much. */
const KINDS = ['blank', 'comment', 'string', 'name', 'operator', 'placeholder'] as const
type Kind = (typeof KINDS)[number] | 'number'

function kindOf(groups: RegExpExecArray): Kind {
  const kind = KINDS.find((_, i) => groups[i + 1] !== undefined)
  return kind ?? (groups.at(-1) === undefined ? 'operator' : 'number')
}

/**
 * The tokens of SQL text: a statement, a script or a part of one. Nothing is refused; an unterminated literal or
 * comment ends with the text. The dialect decides on quotes, escapes and comments: in PostgreSQL `'…'` has no escapes
 * (`standard_conforming_strings`), in MySQL and MariaDB `"…"` is a string, as by default.
 */
export function readSql(sql: string, { dialect }: { readonly dialect: Database }): SqlToken[] {
  const pattern = tokenOf(dialect)
  const tokens: SqlToken[] = []
  const around: number[] = []
  let isExecutable = false
  for (let start = 0; start < sql.length; ) {
    pattern.lastIndex = start
    const groups = pattern.exec(sql) as RegExpExecArray
    const [matched] = groups
    const isEnd = isExecutable && sql.startsWith('*/', start)
    const kind = isEnd ? 'comment' : kindOf(groups)
    const parts: string[] = []
    const end = isEnd ? start + 2 : endOf(sql, start, matched, kind, dialect, parts)
    if (isEnd) isExecutable = false
    else if (kind === 'comment' && EXECUTABLE.test(matched)) isExecutable = true
    if (kind !== 'blank' && kind !== 'comment') {
      const text = sql.slice(start, end)
      if (text === ')') around.pop()
      const isQuoted = kind === 'name' && /["`[]/.test(text)
      tokens.push({ kind, text, start, end, parts, isQuoted, open: around.at(-1) ?? -1 })
      if (text === '(') around.push(tokens.length - 1)
    }
    start = end
  }
  return tokens
}

/** The index behind a token that begins with `matched`. Collects the parts of a name. */
function endOf(
  sql: string,
  start: number,
  matched: string,
  kind: Kind,
  dialect: Database,
  parts: string[],
): number {
  const from = start + matched.length
  if (kind === 'name') return endOfName(sql, start, dialect, parts)
  if (kind === 'comment') {
    if (EXECUTABLE.test(matched)) return from
    if (matched !== '/*') return indexOf(sql, dialect === 'postgres' ? /[\n\r]/g : /\n/g, from)
    return dialect === 'postgres' ? endOfComment(sql, from) : behind(sql, '*/', from)
  }
  if (kind !== 'string') return from
  if (matched.startsWith('$')) return behind(sql, matched, from)
  const isEscaped = dialect === 'postgres' ? /^e/i.test(matched) : dialect !== 'sqlite'
  return endOfQuoted(sql, from, isEscaped)
}

/** The index of the next match, or of the end. */
function indexOf(sql: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(sql)?.index ?? sql.length
}

/** The index behind the next `end`, or of the end of the text. */
function behind(sql: string, end: string, from: number): number {
  const at = sql.indexOf(end, from)
  return at === -1 ? sql.length : at + end.length
}

/** The index behind the quote that ends what the one before `from` begins. */
function endOfQuoted(sql: string, from: number, isEscaped: boolean): number {
  const quote = sql[from - 1]
  if (quote === '[') return behind(sql, ']', from)
  for (let at = from; at < sql.length; at++) {
    if (sql[at] === '\\' && isEscaped) at++
    else if (sql[at] === quote && sql[++at] !== quote) return at
  }
  return sql.length
}

/** A name may have several parts, as in `o . "id"` and `o.*`. */
function endOfName(sql: string, start: number, dialect: Database, parts: string[]): number {
  const part = partOf(dialect)
  for (let at = start, end = start; ; at = DOT.lastIndex) {
    part.lastIndex = at
    const begin = part.exec(sql)?.[0]
    if (begin === undefined) return end
    const from = at + begin.length
    const isQuoted = /["`[]$/.test(begin)
    end = isQuoted
      ? endOfQuoted(sql, from, false)
      : begin === '*'
        ? from
        : indexOf(sql, /[^\p{L}\p{M}\p{N}_$]/gu, from)
    parts.push(isQuoted ? unquoted(sql.slice(at, end)) : sql.slice(at, end))
    DOT.lastIndex = end
    if (!DOT.test(sql)) return end
  }
}

function endOfComment(sql: string, from: number): number {
  const ends = /\/\*|\*\//g
  ends.lastIndex = from
  for (let depth = 1; depth > 0; ) {
    const found = ends.exec(sql)
    if (found === null) return sql.length
    depth += found[0] === '/*' ? 1 : -1
  }
  return ends.lastIndex
}

function unquoted(part: string): string {
  const text = part.replace(/^[uU]&(?=")/, '')
  const quote = text.charAt(0)
  if (quote === '[') return text.slice(1, -1)
  return quote === '"' || quote === '`' ? text.slice(1, -1).replaceAll(quote + quote, quote) : text
}

/** Whether the token is one of these words: keywords or functions, written in upper case here. */
export const isWord = (token: SqlToken | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'name' && !token.isQuoted && words.includes(token.text.toUpperCase())

/** Index of the token that closes the bracket opened at an index; the number of tokens if none does. */
export function closingOf(tokens: readonly SqlToken[], open: number): number {
  let depth = 0
  for (let i = open; i < tokens.length; i++) {
    if (tokens[i]?.text === '(') depth++
    else if (tokens[i]?.text === ')' && --depth === 0) return i
  }
  return tokens.length
}

/** Splits tokens at the commas outside brackets. */
export function splitAtCommas(tokens: readonly SqlToken[]): SqlToken[][] {
  const parts: SqlToken[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (token.text === '(') depth++
    else if (token.text === ')') depth--
    if (token.text === ',' && depth === 0) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}
