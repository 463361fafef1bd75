import { isWord, type SqlToken } from '@snoflax/core/adapter'
import type { Obstacles } from './obstacles.js'

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

/** The first of some columns that a statement computes with, or compares with a number. */
export const computedName = (tokens: readonly SqlToken[], names: readonly string[]): string | undefined =>
  names.find((column) => tokens.some((token, i) => uses([token], column) && isComputed(tokens, i)))

export const noteView = (view: string, column: string, obstacles: Obstacles): void =>
  obstacles.note(
    `view ${view}`,
    `it computes with ${column}, which will be a new key; change it, or drop it and create it again after the switch`,
  )

/** Whether the column at a place is part of a sum, or compared with a number. */
const isComputed = (tokens: readonly SqlToken[], i: number): boolean =>
  [-1, 1].some((way) => {
    const [operator, operand] = [tokens[i + way], tokens[i + 2 * way]]
    // Behind a comma or a bracket, an asterisk is all columns.
    const isSum = /^([-+/%|&]|\|\||<<|>>)$/.test(operator?.text ?? '') || (operator?.text === '*' && way > 0)
    const isComparison = /^([<>=]|==|<>|!=|<=|>=)$/.test(operator?.text ?? '')
    return isSum || (isComparison && /^\d/.test(operand?.text ?? '')) || isWord(operator, 'BETWEEN')
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
