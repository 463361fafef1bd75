import { isWord, type SqlToken } from '@snoflax/core/adapter'

/** Whether one of the names is this one, in any case. */
export const uses = (tokens: readonly SqlToken[], name: string): boolean =>
  tokens.some(({ parts }) => parts.some((part) => part.toLowerCase() === name.toLowerCase()))

/** The same for another use than whether it is null, which new keys are where old ones are. */
export const usesMore = (tokens: readonly SqlToken[], name: string): boolean =>
  tokens.some((token, i) => {
    if (!uses([token], name)) return false
    const [first, second, third] = tokens.slice(i + 1)
    const isNullTest =
      isWord(first, 'ISNULL', 'NOTNULL') ||
      (isWord(first, 'IS') && (isWord(second, 'NULL') || (isWord(second, 'NOT') && isWord(third, 'NULL'))))
    return !isNullTest
  })

/** What stands in the SQL from the first of some tokens to the last. */
export const textOf = (sql: string, tokens: readonly SqlToken[]): string =>
  sql.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0)

/** Another text for a piece of SQL. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Puts a text in the place of some tokens. */
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
