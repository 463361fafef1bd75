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

/** The conditions of the CHECKs in a definition, without their parentheses. */
export function checksIn(definition: string): string[] {
  const tokens = read(definition)
  return tokens.flatMap((token, at) => {
    const open = tokens[at + 1]
    if (!isWord(token, 'CHECK') || open?.text !== '(') return []
    return [definition.slice(open.end, (tokens[closingOf(tokens, at + 1)] as SqlToken).start)]
  })
}

/** Whether a condition names the column and calls typeof. */
export const looksAtType = (condition: string, column: string): boolean => {
  const tokens = read(condition)
  return (
    tokens.some((token) => isWord(token, 'TYPEOF')) &&
    tokens.some(({ parts }) => parts.at(-1)?.toLowerCase() === column.toLowerCase())
  )
}

const CONSTRAINTS = 'CONSTRAINT PRIMARY NOT NULL UNIQUE CHECK DEFAULT COLLATE REFERENCES GENERATED AS'.split(
  ' ',
)

export function withoutDefault(definition: string): string {
  const tokens = read(definition)
  const at = tokens.findIndex((token) => token.open === -1 && isWord(token, 'DEFAULT'))
  if (at < 0) return definition
  const value = tokens[at + 1] as SqlToken
  const isSigned = value.text === '-' || value.text === '+'
  const last = value.text === '(' ? tokens[closingOf(tokens, at + 1)] : isSigned ? tokens[at + 2] : value
  return (
    definition.slice(0, (tokens[at] as SqlToken).start).trimEnd() + definition.slice((last as SqlToken).end)
  )
}

export function withType(definition: string, type: string): string {
  const [name, ...rest] = read(definition) as [SqlToken, ...SqlToken[]]
  const end = rest.findIndex((token) => isWord(token, ...CONSTRAINTS))
  const old = end < 0 ? rest : rest.slice(0, end)
  return `${definition.slice(0, name.end)} ${type}${definition.slice((old.at(-1) ?? name).end)}`
}

export function withCollation(definition: string, collation: string): string {
  const found = collationIn(definition) ?? []
  return `${definition.slice(0, found[0]?.start)}COLLATE ${collation}${definition.slice(found[1]?.end)}`
}
