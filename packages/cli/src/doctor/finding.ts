/** What doctor looks at; the README says what each finds. */
export type CheckName =
  | 'version'
  | 'drift'
  | 'generator'
  | 'lease'
  | 'cross-check'
  | 'type'
  | 'collation'
  | 'malformed'
  | 'future'
  | 'duplicate'

export const CHECKS: readonly CheckName[] = [
  'version',
  'drift',
  'generator',
  'lease',
  'cross-check',
  'type',
  'collation',
  'malformed',
  'future',
  'duplicate',
]

/** What mends it: statements for the database, or a line for the shell. */
export type Cure = { readonly sql: string } | { readonly shell: string }

/** One thing that is wrong. */
export interface Finding {
  /** Which check found it. */
  readonly check: CheckName
  /** An error loses, repeats or misorders ids, or refuses new ones; a warning may come to that. */
  readonly severity: 'error' | 'warning'
  /** Table and column, function, or what else is concerned. */
  readonly where: string
  /** What is wrong there, in words. */
  readonly message: string
  /** What mends it. */
  readonly cure: Cure
}
