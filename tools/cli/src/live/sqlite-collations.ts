import { closingOf, isWord, readSql, type SqlToken, splitAtCommas } from '@snoflax/core/adapter'

/** The collation of each column that states one, by its name in lower case. */
export function collationsOf(sql: string): Map<string, string> {
  const tokens = readSql(sql, { dialect: 'sqlite' })
  const open = tokens.findIndex(({ text }) => text === '(')
  const found = new Map<string, string>()
  for (const definition of splitAtCommas(tokens.slice(open + 1, closingOf(tokens, open)))) {
    const [first] = definition
    if (first === undefined || isWord(first, 'CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN')) continue
    // Outside the parentheses of an expression.
    const at = definition.findIndex((token) => token.open === open && isWord(token, 'COLLATE'))
    const collation = at < 0 ? undefined : definition[at + 1]
    if (collation) found.set(unquoted(first).toLowerCase(), unquoted(collation).toUpperCase())
  }
  return found
}

/** SQLite accepts a quoted text as a name, too. */
const unquoted = ({ parts, text }: SqlToken): string => parts[0] ?? text.slice(1, -1)
