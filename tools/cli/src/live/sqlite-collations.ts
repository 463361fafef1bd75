import { closingOf, isWord, readSql, type SqlToken, splitAtCommas } from '@snoflax/core/adapter'

export interface TableSql {
  readonly definitions: readonly Definition[]
  readonly tail: string
}

interface Definition {
  /** With surrounding blanks and comments. */
  readonly sql: string
  /** The column's name in lower case; undefined for a constraint. */
  readonly name: string | undefined
}

const read = (sql: string): SqlToken[] => readSql(sql, { dialect: 'sqlite' })

export function parseTable(sql: string): TableSql {
  const tokens = read(sql)
  const open = tokens.findIndex(({ text }) => text === '(')
  const close = closingOf(tokens, open)
  const parts = splitAtCommas(tokens.slice(open + 1, close))
  const commas = parts
    .slice(1)
    .map(([first]) => (tokens[tokens.indexOf(first as SqlToken) - 1] as SqlToken).start)
  const starts = [(tokens[open] as SqlToken).end, ...commas.map((comma) => comma + 1)]
  const ends = [...commas, (tokens[close] as SqlToken).start]
  return {
    definitions: parts.map(([first], n) => ({ sql: sql.slice(starts[n], ends[n]), name: nameOf(first) })),
    tail: sql.slice((tokens[close] as SqlToken).end),
  }
}

const nameOf = (token: SqlToken | undefined): string | undefined =>
  token === undefined || isWord(token, 'CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN')
    ? undefined
    : unquoted(token).toLowerCase()

/** SQLite accepts a quoted text as a name, too. */
const unquoted = ({ parts, text }: SqlToken): string => parts[0] ?? text.slice(1, -1)

/** The collation of each column that states one, by its name in lower case. */
export function collationsOf(sql: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const { sql: definition, name } of parseTable(sql).definitions) {
    const collation = collationIn(definition)?.[1]
    if (name !== undefined && collation) found.set(name, unquoted(collation).toUpperCase())
  }
  return found
}

/** The word COLLATE outside parentheses, and the next token. */
function collationIn(definition: string): readonly SqlToken[] | undefined {
  const tokens = read(definition)
  const at = tokens.findIndex((token) => token.open === -1 && isWord(token, 'COLLATE'))
  return at < 0 ? undefined : tokens.slice(at, at + 2)
}
