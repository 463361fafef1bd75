/** A piece of a query as TypeORM writes it, with `:name` for its parameters. */
export interface Token {
  readonly kind: 'parameter' | 'path' | 'operator' | 'other'
  readonly text: string
  /** Where it ends in the query. */
  readonly end: number
}

const NAME = '(?:"[^"]+"|`[^`]+`|[A-Za-z_][A-Za-z0-9_$]*)'
const TOKEN = new RegExp(
  [
    String.raw`(?<skipped>\s+|'(?:[^']|'')*')`,
    String.raw`(?<cast>::\s*\w+)`,
    String.raw`(?<parameter>:(?:\.\.\.)?[A-Za-z0-9_.]+)`,
    `(?<path>${NAME}(?:\\.${NAME})*)`,
    '(?<operator><=|>=|<>|!=|=|<|>)',
    '(?<other>[^])',
  ].join('|'),
  'gy',
)

/** The tokens of a query, blanks and literals left out. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = []
  for (const match of query.matchAll(TOKEN)) {
    const { skipped, parameter, path, operator } = match.groups as Record<string, string | undefined>
    if (skipped?.trim() === '') continue
    const kind = parameter ? 'parameter' : path ? 'path' : operator ? 'operator' : 'other'
    tokens.push({ kind, text: match[0], end: match.index + match[0].length })
  }
  return tokens
}

/** Whether the token is this word of SQL. */
export const isWord = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'path' && words.includes(token.text.toUpperCase())
