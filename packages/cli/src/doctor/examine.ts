import type { Database, IdFamily } from '@snoflax/core'
import { type ColumnRules, checkDeclaration } from './declaration.js'
import { duplicates } from './duplicates.js'
import type { Examination } from './examination.js'
import { type IdColumn, identify, type Told } from './id-columns.js'
import { type LiveDatabase, placeOf } from './live-database.js'
import { mysqlRules } from './mysql/rules.js'
import { checkFunctions, findFunctions } from './postgres/functions.js'
import type { Postgres } from './postgres/open.js'
import { postgresRules } from './postgres/rules.js'
import type { CheckName, ExaminedColumn, Finding, Report } from './report.js'
import { sqliteRules } from './sqlite/rules.js'
import { checkValues, type Scan, scan } from './values.js'

export interface ExamineOptions {
  readonly schema: string
  readonly families: readonly IdFamily[]
  readonly told: readonly Told[]
  readonly sample: number
  readonly full: boolean
  readonly skip: readonly CheckName[]
}

/** Examines a database. It only reads. */
export async function examine(database: LiveDatabase, options: ExamineOptions): Promise<Report> {
  const columns = await identify(database, options.families, options.told)
  const { installed, notes } = isPostgres(database)
    ? await findFunctions(database, options)
    : { installed: undefined, notes: [] }
  const examination: Examination = { ...options, database, columns, installed, nowMs: Date.now() }
  const functions =
    isPostgres(database) && installed ? await checkFunctions(database, installed, options.skip, notes) : []
  const { examined, findings: faults } = await examineColumns(examination)
  const found = [
    ...functions.filter((one) => !isAfterValues(one)),
    ...faults,
    ...functions.filter(isAfterValues),
  ].filter(({ check }) => !options.skip.includes(check))
  return {
    database: database.label,
    pgSql: installed?.version ?? null,
    columns: examined,
    notes,
    findings: found.filter(({ severity }) => severity !== 'advice'),
    advice: found.filter(({ severity }) => severity === 'advice'),
  }
}

const isPostgres = (database: LiveDatabase): database is Postgres => database.kind === 'postgres'

/** A check that is added to a domain looks at all values. */
const isAfterValues = ({ where, cure }: Finding): boolean => where.startsWith('domain ') && 'sql' in cure

const RULES: Readonly<Record<Database, ColumnRules>> = {
  postgres: postgresRules,
  sqlite: sqliteRules,
  mysql: mysqlRules,
  mariadb: mysqlRules,
}

async function examineColumns(
  examination: Examination,
): Promise<{ readonly examined: ExaminedColumn[]; readonly findings: Finding[] }> {
  const scans: Scan[] = []
  const examined: ExaminedColumn[] = []
  const findings: Finding[] = []
  for (const column of examination.columns) {
    const scanned = await scan(examination, column)
    if (scanned) scans.push(scanned)
    examined.push(toExamined(column, scanned))
    const found = await checkDeclaration(RULES[examination.database.kind], examination, column)
    findings.push(...found)
    // A wrong type spoils the values: they are looked at again when it is mended.
    const isSpoilt = found.some(({ check }) => check === 'type')
    if (scanned && !isSpoilt && !follows(examination, column))
      findings.push(...checkValues(examination, scanned))
  }
  return { examined, findings: [...findings, ...(await duplicates(examination, scans))] }
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
  storage: storage?.name ?? null,
  evidence,
  rowsRead: scan?.rowsRead ?? 0,
  isComplete: scan?.isComplete ?? false,
})
