import type { Database } from '@snoflax/core'
import type { AnyFamily } from '../ids/families.js'
import { duplicates } from './checks/duplicate.js'
import { future } from './checks/future.js'
import { malformed } from './checks/malformed.js'
import { type IdColumn, placeOf } from './columns/column.js'
import { identify } from './columns/identify.js'
import { type Scan, scan } from './columns/scan.js'
import type { Told } from './columns/told.js'
import type { Examination } from './examination.js'
import type { CheckName, Finding } from './finding.js'
import type { LiveDatabase } from './live-database.js'
import { checkCollation as mysqlCollation } from './mysql/collation.js'
import { checkType as mysqlType } from './mysql/type.js'
import { isPostgres } from './open.js'
import { checkCollation as postgresCollation } from './postgres/collation.js'
import { checkFunctions, findFunctions, NO_FUNCTIONS, NOT_INSTALLED } from './postgres/functions.js'
import { checkType as postgresType } from './postgres/type.js'
import { checkCollation as sqliteCollation } from './sqlite/collation.js'
import { checkType as sqliteType } from './sqlite/type.js'

export interface ExamineOptions {
  readonly schema: string
  readonly families: readonly AnyFamily[]
  readonly told: readonly Told[]
  readonly sample: number
  readonly full: boolean
  readonly skip: readonly CheckName[]
}

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
}

/** Examines a database. It only reads. */
export async function examine(database: LiveDatabase, options: ExamineOptions): Promise<Report> {
  const columns = await identify(database, options.families, options.told)
  const { installed, refusal } = isPostgres(database) ? await findFunctions(database, options) : NOT_INSTALLED
  const examination: Examination = { ...options, database, columns, installed, nowMs: Date.now() }
  const functions =
    isPostgres(database) && installed
      ? await checkFunctions({ ...examination, database }, installed, options.skip)
      : NO_FUNCTIONS
  const scans = await scanAll(examination)
  const findings = [
    ...functions.findings,
    ...(await checkColumns(examination, scans)),
    ...functions.domainFindings,
  ]
  return {
    database: database.label,
    pgSql: installed?.version ?? null,
    columns: columns.map((column) => toExamined(column, scans.get(column))),
    notes: [...refusal, ...functions.notes],
    findings: findings.filter(({ check }) => !options.skip.includes(check)),
  }
}

type ColumnCheck = (examination: Examination, idColumn: IdColumn) => Finding[] | Promise<Finding[]>

const MYSQL: readonly ColumnCheck[] = [mysqlType, mysqlCollation]
const COLUMN_CHECKS: Readonly<Record<Database, readonly ColumnCheck[]>> = {
  postgres: [postgresType, postgresCollation],
  sqlite: [sqliteType, sqliteCollation],
  mysql: MYSQL,
  mariadb: MYSQL,
}

async function scanAll(examination: Examination): Promise<Map<IdColumn, Scan>> {
  const scans = new Map<IdColumn, Scan>()
  for (const column of examination.columns) {
    const found = await scan(examination, column)
    if (found) scans.set(column, found)
  }
  return scans
}

async function checkColumns(
  examination: Examination,
  scans: ReadonlyMap<IdColumn, Scan>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const column of examination.columns) {
    const found = await checkDeclaration(examination, column)
    findings.push(...found)
    const scan = scans.get(column)
    // A wrong type spoils the values: they are looked at again when it is mended.
    const isSpoilt = found.some(({ check }) => check === 'type')
    if (scan && !isSpoilt && !follows(examination, column)) {
      findings.push(...malformed(examination, scan), ...future(examination, scan))
    }
  }
  return [...findings, ...(await duplicates(examination, [...scans.values()]))]
}

async function checkDeclaration(examination: Examination, column: IdColumn): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of COLUMN_CHECKS[examination.database.kind]) {
    findings.push(...(await check(examination, column)))
  }
  return findings
}

/** Whether its values are those of another column that is examined, and are mended there. */
const follows = ({ columns }: Examination, { column }: IdColumn): boolean =>
  columns.some((other) => placeOf(other.column) === column.references)

const toExamined = (
  { column, family, storage, evidence }: IdColumn,
  scan: Scan | undefined,
): ExaminedColumn => ({
  place: placeOf(column),
  family: family.name,
  storage: storage ?? null,
  evidence,
  rowsRead: scan?.rowsRead ?? 0,
  isComplete: scan?.isComplete ?? false,
})
