import type { DataSource } from 'typeorm'

/** In MySQL and MariaDB a backslash escapes what follows it in a literal, and `--` needs a blank. */
type Dialect = 'standard' | 'mysql'

export const dialectOf = ({ options: { type } }: DataSource): Dialect =>
  type === 'mysql' || type === 'mariadb' ? 'mysql' : 'standard'

/** A piece of a query as TypeORM writes it, with `:name` for its parameters. */
export interface Token {
  readonly kind: 'parameter' | 'path' | 'operator' | 'other'
  readonly text: string
  /** Where it ends in the query. */
  readonly end: number
  /** Which token opens the parentheses that it stands in, and how many commas are before it there. */
  readonly within: { readonly open: number; readonly commas: number } | undefined
}

const QUOTED = '"[^"]+"|`[^`]+`'
const NAME = String.raw`(?:${QUOTED}|[\p{L}_][\p{L}\p{M}\p{N}_$]*)`
const ESCAPED = String.raw`'(?:[^'\\]|\\[^]|'')*'`

const TOKEN: Readonly<Record<Dialect, RegExp>> = {
  // PostgreSQL has backslashes that escape in E'…' alone.
  standard: grammar(`[eE]${ESCAPED}|'(?:[^']|'')*'`, String.raw`--[^\n]*`),
  mysql: grammar(ESCAPED, String.raw`--(?=\s|$)[^\n]*|#[^\n]*`),
}

function grammar(literal: string, comment: string): RegExp {
  const alternatives = [
    String.raw`(?<blank>\s+|/\*[^]*?\*/|${comment})`,
    `(?<literal>${literal})`,
    String.raw`(?<cast>::\s*\w+)`,
    String.raw`(?<parameter>:(?:\.\.\.)?[A-Za-z0-9_.]+)`,
    String.raw`(?<path>${NAME}(?:\.${NAME})*)`,
    '(?<operator><=>|<=|>=|<>|!=|==|=|<|>)',
    '(?<other>[^])',
  ]
  return new RegExp(alternatives.join('|'), 'gyu')
}

/** The tokens of a query, blanks and comments left out. */
export function tokensOf(query: string, dialect: Dialect): Token[] {
  const tokens: Token[] = []
  const around: { open: number; commas: number }[] = []
  for (const match of query.matchAll(TOKEN[dialect])) {
    const { blank, parameter, path, operator } = match.groups as Record<string, string | undefined>
    if (blank !== undefined) continue
    const [text] = match
    if (text === ')') around.pop()
    const within = around.at(-1)
    const kind = parameter ? 'parameter' : path ? 'path' : operator ? 'operator' : 'other'
    tokens.push({ kind, text, end: match.index + text.length, within: within && { ...within } })
    if (text === '(') around.push({ open: tokens.length - 1, commas: 0 })
    if (text === ',' && within) within.commas++
  }
  return tokens
}

/** Whether the token is this word of SQL. */
export const isWord = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'path' && words.includes(token.text.toUpperCase())
