/** What doctor looks at; the README says what each finds. */
export type CheckName = (typeof CHECKS)[number]

export const CHECKS = [
  'version',
  'drift',
  'identity',
  'generator',
  'lease',
  'cross-check',
  'type',
  'collation',
  'constraint',
  'malformed',
  'future',
  'duplicate',
] as const

/** What mends it: statements for the database, or a line for the shell. */
export type Cure = { readonly sql: string } | { readonly shell: string }

/** One thing that is wrong. */
export interface Finding {
  /** Which check found it. */
  readonly check: CheckName
  /** An error loses, repeats or misorders ids, or refuses new ones; a warning may come to that; advice is for safety. */
  readonly severity: 'error' | 'warning' | 'advice'
  /** Table and column, function, or what else is concerned. */
  readonly where: string
  /** What is wrong there, in words. */
  readonly message: string
  /** What mends it. */
  readonly cure: Cure
}

export const finding = (
  check: CheckName,
  where: string,
  message: string,
  cure: Cure,
  severity: Finding['severity'] = 'error',
): Finding => ({ check, severity, where, message, cure })

/** A column that was examined. */
export interface ExaminedColumn {
  /** Table and column. */
  readonly place: string
  /** Name of the family whose ids it holds. */
  readonly family: string
  /** How they lie in it; null where nothing tells. */
  readonly storage: string | null
  /** How the column was known for one of ids. */
  readonly evidence: string
  /** Rows whose values were looked at. */
  readonly rowsRead: number
  /** Whether those are all rows. */
  readonly isComplete: boolean
}

/** What `doctor --json` prints. */
export interface Report {
  /** Which database it was, without the password. */
  readonly database: string
  /** The version of pg-sql there, or null. */
  readonly pgSql: string | null
  /** Columns of ids, also those that are in order. */
  readonly columns: readonly ExaminedColumn[]
  /** What was not examined, and why. */
  readonly notes: readonly string[]
  /** What is wrong; empty if nothing is. */
  readonly findings: readonly Finding[]
  /** What would keep ids safer; nothing is wrong. */
  readonly advice: readonly Finding[]
}
