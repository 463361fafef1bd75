import { closingOf, type SqlToken, splitAtCommas } from './read-sql.js'

interface List {
  readonly open: number
  readonly close: number
  /** What is between its commas. */
  readonly items: readonly SqlToken[][]
}

/** The first parentheses, as the columns of a table or an index. */
export function firstList(tokens: readonly SqlToken[]): List {
  const open = tokens.findIndex(({ text }) => text === '(')
  const close = closingOf(tokens, open)
  return { open, close, items: splitAtCommas(tokens.slice(open + 1, close)) }
}

export const textOf = (sql: string, tokens: readonly SqlToken[]): string =>
  sql.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0)

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export const replacing = (tokens: readonly SqlToken[], text: string): Edit => ({
  start: tokens[0]?.start as number,
  end: tokens.at(-1)?.end as number,
  text,
})

/** @param edits in the order of the SQL. */
export function edited(sql: string, edits: readonly Edit[]): string {
  let [text, from] = ['', 0]
  for (const edit of edits) {
    text += sql.slice(from, edit.start) + edit.text
    from = edit.end
  }
  return text + sql.slice(from)
}
