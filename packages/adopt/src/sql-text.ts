/** An identifier, quoted. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text, quoted. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const shownName = (identifier: string): string => identifier.replaceAll('"', '')

/** Quoted things, comments and brackets: what a comma or a word must not be looked for in. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[(),]/g

/** A parenthesised list within a statement. */
export interface ItemList {
  /** Index of the character after the opening bracket. */
  readonly start: number
  /** Index of the closing bracket. */
  readonly end: number
  readonly items: readonly string[]
}

/** The first parenthesised list at or after an index, split at its own commas. */
export function itemList(sql: string, from: number): ItemList | undefined {
  let depth = 0
  let start = 0
  let itemStart = 0
  const items: string[] = []
  for (const { 0: token, index } of sql.matchAll(TOKEN)) {
    if (index < from) continue
    if (token === '(' && depth++ === 0) start = itemStart = index + 1
    if (token === ',' && depth === 1) {
      items.push(sql.slice(itemStart, index).trim())
      itemStart = index + 1
    }
    if (token === ')' && --depth === 0) {
      return { start, end: index, items: [...items, sql.slice(itemStart, index).trim()] }
    }
  }
  return undefined
}

/** Whether the text has the column's name in it, as a word or quoted. */
export const mentions = (text: string, column: string): boolean =>
  new RegExp(`(?<![\\w])${column.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w])`, 'i').test(text)

/** The same of an expression: its string literals name nothing. */
export const uses = (expression: string, column: string): boolean =>
  mentions(
    expression.replace(TOKEN, (token) => (token.startsWith("'") ? "''" : token)),
    column,
  )

export const withoutComments = (sql: string): string =>
  sql.replace(TOKEN, (token) => (/^(?:--|\/\*)/.test(token) ? ' ' : token))
