import type { Cure, Finding } from '../../finding.js'
import type { Statement } from './statement.js'

/** What is there of a statement's object and is not as the statement has it. */
export interface Difference {
  readonly statement: Statement
  /** Kind and name of the object. */
  readonly where: string
  readonly message: string
  readonly cure: Cure
}

export const missing = (statement: Statement, where: string, cure: Cure): Difference => ({
  statement,
  where,
  message: 'it is missing',
  cure,
})

/** Nothing, if there is no part that differs. */
export function differing(
  statement: Statement,
  where: string,
  parts: readonly string[],
  sql: readonly string[],
): Difference[] {
  if (parts.length === 0) return []
  return [{ statement, where, message: `it differs in ${parts.join(', ')}`, cure: { sql: sql.join(';\n') } }]
}

export const toFinding = ({ where, message, cure }: Difference): Finding => ({
  check: 'drift',
  severity: 'error',
  where,
  message: `${message}: not what this version of pg-sql installs`,
  cure,
})
