import { installStatements } from '@snoflax/pg-sql'
import type { Installation } from '../installation.js'

/** A statement of the installer, and where it stands among them: each leans on those before it alone. */
export interface Statement {
  readonly at: number
  readonly sql: string
}

export const statementsOf = (installed: Installation): Statement[] =>
  installStatements(installed).map((sql, at) => ({ at, sql: withoutHeading(sql) }))

/** Comments before a statement are about those that follow, too. */
const withoutHeading = (sql: string): string => sql.replace(/^(?:--.*\n|\s)+/, '')

export type ObjectKind = 'AGGREGATE' | 'DOMAIN' | 'SEQUENCE' | 'TABLE' | 'TYPE' | 'VIEW'

/** An object that a statement makes. */
export interface Created extends Statement {
  /** With its schema. */
  readonly name: string
  /** What follows the name, without comments. */
  readonly definition: string
}

/** The objects of one kind. Those that PostgreSQL has no IF NOT EXISTS for stand in a block of their own. */
export function created(statements: readonly Statement[], kind: ObjectKind): Created[] {
  const pattern = new RegExp(
    `^(?:DO \\$\\$ BEGIN\\s+)?(CREATE (?:OR REPLACE )?${kind}(?: IF NOT EXISTS)? ([\\w.]+)([^;]*))(?:;|$)`,
  )
  return statements.flatMap(({ at, sql }) => {
    const found = pattern.exec(sql)
    if (!found) return []
    const [, statement, name, definition] = found as unknown as [string, string, string, string]
    return { at, sql: statement, name, definition: withoutComments(definition).trim() }
  })
}

export const withoutComments = (sql: string): string => sql.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, '')

/** Splits a list at the commas that stand in no brackets. */
export function splitList(text: string): string[] {
  let depth = 0
  const items = ['']
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) items.push('')
    else items[items.length - 1] += character
  }
  return items.map((item) => item.trim().replaceAll(/\s+/g, ' ')).filter(Boolean)
}

/** What stands in the brackets that open at an index, and the index behind them. */
export function bracketed(text: string, opening: number): { readonly content: string; readonly end: number } {
  let depth = 0
  let end = opening
  do {
    const character = text[end++]
    if (character === '(') depth++
    if (character === ')') depth--
  } while (depth > 0)
  return { content: text.slice(opening + 1, end - 1), end }
}
