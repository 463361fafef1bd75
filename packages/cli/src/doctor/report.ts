/** What doctor looks at; the README says what each finds. */
export type CheckName = (typeof CHECKS)[number]

export const CHECKS = [
  'version',
  'drift',
  'identity',
  'generator',
  'lease',
  'cross-check',
  'declaration',
  'type',
  'collation',
  'constraint',
  'default',
  'trigger',
  'malformed',
  'future',
  'null',
  'duplicate',
  'reference',
  'index',
  'partition',
  'replication',
] as const

/** What fixes a finding: statements for the database, or a command. Neither where only you can decide. */
export interface Cure {
  /** Statements for the database, separated by `;` and a line break. */
  readonly sql?: string
  /** A command for the shell. */
  readonly shell?: string
  /** What they leave as it is, and what you can do about it. */
  readonly leaves?: string
}

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
  /** What fixes it. */
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
  /** How they are stored; null where nothing tells. */
  readonly storage: string | null
  /** How the column was recognized: `told`, `declared` by an ORM, `default`, `reference` or `values`. */
  readonly evidence: string
  /** Rows whose values were looked at. */
  readonly rowsRead: number
  /** Whether those are all rows. */
  readonly isComplete: boolean
}

/** What `doctor --dry-run` saw when it ran the cures and rolled them back. */
export interface DryRun {
  /** Cures that ran. */
  readonly ran: number
  /** Cures that failed or can't be tried, and why. */
  readonly refused: readonly { readonly where: string; readonly reason: string }[]
  /** What was still wrong after the cures. */
  readonly findings: readonly Finding[]
}

/** What `doctor --json` prints. */
export interface Report {
  /** Which database it was, without the password. */
  readonly database: string
  /** What installed functions there, as `pg-sql 1.0.0` or `mysql-sql 1.0.0`; null if nothing did. */
  readonly installed: string | null
  /** Columns of ids, also those that are in order. */
  readonly columns: readonly ExaminedColumn[]
  /** What was not examined, and why. */
  readonly notes: readonly string[]
  /** What is wrong; empty if nothing is. */
  readonly findings: readonly Finding[]
  /** What would keep ids safer; nothing is wrong. */
  readonly advice: readonly Finding[]
  /** With `--dry-run`. */
  readonly dryRun?: DryRun
}
