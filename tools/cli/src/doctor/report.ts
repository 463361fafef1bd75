/** The checks of `doctor`. The README describes each. */
export type CheckName = (typeof CHECKS)[number]

export const CHECKS = [
  'version',
  'drift',
  'identity',
  'generator',
  'lease',
  'declaration',
  'type',
  'collation',
  'default',
  'malformed',
  'future',
  'null',
  'duplicate',
  'reference',
  'index',
  'partition',
  'statistics',
  'replication',
] as const

/** How to fix a finding: one SQL statement, or a shell command. Neither, if only you can decide. */
export interface Cure {
  /** An SQL statement. */
  readonly sql?: string
  /** A shell command. */
  readonly shell?: string
  /** What remains wrong afterwards, and what you can do about it. */
  readonly leaves?: string
}

/** A problem that `doctor` found. */
export interface Finding {
  /** The check that found it. */
  readonly check: CheckName
  /** `error`: ids are lost, repeated, out of order or refused. `warning`: they may become so. `advice`: for more safety. */
  readonly severity: 'error' | 'warning' | 'advice'
  /** The object concerned: table and column, function, trigger, server. */
  readonly where: string
  /** What is wrong. */
  readonly message: string
  /** How to fix it. */
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
  /** The name of the family of its ids, without the prefix. */
  readonly family: string
  /** The prefix, if the ids have one. */
  readonly prefix?: string
  /** How ids are stored; null if the column's type fits none of the family's storages. */
  readonly storage: string | null
  /** How the column was recognized: `option`, `declared` by an ORM, `default`, `reference` or `values`. */
  readonly evidence: string
  /** How many rows were read. */
  readonly rowsRead: number
  /** Whether all rows were read. */
  readonly isComplete: boolean
}

/** The output of `doctor --json`. */
export interface Report {
  /** The database's URL without the password. */
  readonly database: string
  /** Package and version of the installed functions, `pg-sql 1.0.0` or `mysql-sql 1.0.0`; null without functions. */
  readonly installed: string | null
  /** All columns of ids that were recognized, including those without problems. */
  readonly columns: readonly ExaminedColumn[]
  /** What was not examined, and why. */
  readonly notes: readonly string[]
  /** Why nothing was checked: no id column was found, or `--schema` names a schema without our functions. */
  readonly unchecked: readonly string[]
  /** Errors and warnings; empty if nothing is wrong. */
  readonly findings: readonly Finding[]
  /** Findings of severity `advice`. They don't change the exit code. */
  readonly advice: readonly Finding[]
}
