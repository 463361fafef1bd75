import { isWord, type SqlToken } from '@snoflax/core/adapter'
import type { Obstacles } from './obstacles.js'

/** Whether a text contains a name as a word, ignoring case, perhaps in quotes. */
export const mentions = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w$])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'i').test(text)

/** Whether the names include this one, ignoring case. */
export const uses = (tokens: readonly SqlToken[], name: string): boolean =>
  tokens.some(({ parts }) => parts.some((part) => part.toLowerCase() === name.toLowerCase()))

/** The same, but not for IS NULL, which is true for the same rows as before. */
export const usesMore = (tokens: readonly SqlToken[], name: string): boolean =>
  tokens.some((token, i) => {
    if (!uses([token], name)) return false
    const [first, second, third] = tokens.slice(i + 1)
    const isNullTest =
      isWord(first, 'ISNULL', 'NOTNULL') ||
      (isWord(first, 'IS') && (isWord(second, 'NULL') || (isWord(second, 'NOT') && isWord(third, 'NULL'))))
    return !isNullTest
  })

/** The first of these columns that a statement computes with, or compares with a literal, which may be an old key. */
export const computedName = (tokens: readonly SqlToken[], names: readonly string[]): string | undefined =>
  names.find((column) => tokens.some((token, i) => uses([token], column) && isComputed(tokens, i)))

interface User {
  readonly name: string
  readonly what: string
  readonly tokens: readonly SqlToken[]
}

/** The objects that use one of the tables, directly or through a view. */
function usersOf(users: readonly User[], tables: readonly string[]): User[] {
  const found = users.filter(({ tokens }) => tables.some((table) => uses(tokens, table)))
  const views = found.map(({ name }) => name).filter((name) => !tables.includes(name))
  return views.length === 0 ? found : usersOf(users, [...tables, ...views])
}

/** Notes objects that compute with keys: they would silently show or change other rows. */
export function noteComputing(
  users: readonly User[],
  tables: readonly string[],
  keysOf: (user: User) => string | undefined,
  obstacles: Obstacles,
): void {
  for (const user of usersOf(users, tables)) {
    const key = keysOf(user)
    if (key !== undefined)
      obstacles.note(
        user.what,
        `it computes with ${key}, which will be a new key; change it, or drop it and create it again after the switch`,
      )
  }
}

function isComputed(tokens: readonly SqlToken[], i: number): boolean {
  const [before, after, ...more] = [tokens[i - 1], ...tokens.slice(i + 1, i + 6)]
  const test = isWord(after, 'NOT') ? more.shift() : after
  const isListed = isWord(test, 'IN') && more[0]?.text === '(' && isLiteral(more.slice(1))
  // After a comma or a parenthesis, an asterisk means all columns.
  const isSum =
    [before, after].some(({ text = '' } = {} as SqlToken) => SUM.test(text)) || after?.text === '*'
  const isCompared =
    (COMPARISON.test(after?.text ?? '') && isLiteral(more)) ||
    (COMPARISON.test(before?.text ?? '') && isLiteral(tokens.slice(Math.max(i - 2, 0), i - 1)))
  return (
    isSum ||
    isCompared ||
    isListed ||
    isWord(before, 'CASE') ||
    isWord(test, 'BETWEEN', 'LIKE', 'GLOB', 'REGEXP')
  )
}

const SUM = /^([-+/%|&]|\|\||<<|>>)$/
const COMPARISON = /^([<>=]|==|<>|!=|<=|>=|<=>)$/

/** Whether a number or a text is next. */
const isLiteral = ([first, second]: readonly SqlToken[]): boolean =>
  first?.kind === 'string' ||
  /^\d/.test(/^[-+]$/.test(first?.text ?? '') ? (second?.text ?? '') : (first?.text ?? ''))
