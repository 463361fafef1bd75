import type { Database, IdFamily } from '@snoflax/core'
import { type ColumnRules, checkDeclaration } from './declaration.js'
import { checkDefault } from './default.js'
import { duplicates, repeated } from './duplicates.js'
import type { Examination } from './examination.js'
import { type IdColumn, identify, type Told } from './id-columns.js'
import { type LiveDatabase, placeOf } from './live-database.js'
import { mysqlRules } from './mysql/rules.js'
import { checkTables as checkMysqlTables } from './mysql/tables.js'
import { otherStorages } from './other-storages.js'
import { checkFunctions, findFunctions } from './postgres/functions.js'
import type { Postgres } from './postgres/open.js'
import { postgresRules } from './postgres/rules.js'
import { checkTables as checkPostgresTables } from './postgres/tables.js'
import { type CheckName, type ExaminedColumn, type Finding, finding, type Report } from './report.js'
import { sqliteRules } from './sqlite/rules.js'
import { checkTables as checkSqliteTables } from './sqlite/tables.js'
import { checkValues, type Scan, scan } from './values.js'

export interface ExamineOptions {
  readonly schema: string
  readonly families: readonly IdFamily[]
  readonly told: readonly Told[]
  /** What an ORM's schema says. */
  readonly declared: readonly Told[]
  readonly sample: number
  readonly full: boolean
  readonly skip: readonly CheckName[]
  readonly newIds: readonly string[]
  readonly progress: (text: string) => void
}

/** Examines a database. It only reads. */
export async function examine(database: LiveDatabase, options: ExamineOptions): Promise<Report> {
  const allColumns = await database.columns()
  const { installed, notes } = isPostgres(database)
    ? await findFunctions(database, options)
    : { installed: undefined, notes: [] }
  const columns = await identify(database, allColumns, options, notes)
  const examination = { ...options, database, allColumns, columns, installed, nowMs: Date.now() }
  const functions =
    isPostgres(database) && installed ? await checkFunctions(database, installed, options.skip, notes) : []
  const { examined, findings: faults } = await examineColumns(examination)
  const found = [
    ...functions.filter((one) => !isAfterValues(one)),
    ...missing(examination),
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

interface Rules {
  readonly ofColumns: ColumnRules
  /** What is wrong with triggers, foreign keys, indexes, partitions and the server. */
  ofTables(examination: Examination): Promise<Finding[]>
}

const MYSQL: Rules = { ofColumns: mysqlRules, ofTables: checkMysqlTables }

const RULES: Readonly<Record<Database, Rules>> = {
  postgres: { ofColumns: postgresRules, ofTables: checkPostgresTables },
  sqlite: { ofColumns: sqliteRules, ofTables: checkSqliteTables },
  mysql: MYSQL,
  mariadb: MYSQL,
}

/** Columns that an ORM declares and the database does not have. */
const missing = ({ allColumns, declared }: ExamineOptions & Examination): Finding[] =>
  declared
    .filter(({ place }) => !allColumns.some((column) => placeOf(column) === place))
    .map(({ place, family }) => {
      const leaves = "run the application's migrations, or correct its schema"
      return finding('declaration', place, `declared as ${family.name}, but not in the database`, { leaves })
    })

/** The checks for which values are read. */
const OF_VALUES: readonly CheckName[] = ['malformed', 'future', 'duplicate', 'reference']

async function examineColumns(
  examination: ExamineOptions & Examination,
): Promise<{ readonly examined: ExaminedColumn[]; readonly findings: Finding[] }> {
  const { database, skip } = examination
  const { ofColumns: rules, ofTables } = RULES[database.kind]
  const needsValues = !OF_VALUES.every((check) => skip.includes(check))
  const scans: Scan[] = []
  const examined: ExaminedColumn[] = []
  const findings: Finding[] = []
  const unless = async (check: CheckName, look: () => Promise<Finding[]>): Promise<Finding[]> =>
    skip.includes(check) ? [] : look()
  for (const column of examination.columns) {
    const scanned = needsValues ? await scan(examination, column) : undefined
    if (scanned) scans.push(scanned)
    examined.push(toExamined(column, scanned))
    const found = await checkDeclaration(rules, examination, column)
    findings.push(...found)
    // A wrong type spoils default and values: they are looked at again when it is mended.
    if (found.some(({ check }) => check === 'type')) continue
    findings.push(...(await unless('default', () => checkDefault(rules, examination, column))))
    if (!scanned) continue
    if (!follows(examination, column)) findings.push(...(await checkValues(examination, scanned)))
    findings.push(...(await unless('duplicate', () => repeated(examination, scanned))))
  }
  const isInOrder = ({ idColumn }: Scan): boolean =>
    !findings.some(
      ({ check, where }) => where === placeOf(idColumn.column) && (check === 'type' || check === 'collation'),
    )
  const sorted = scans.filter(isInOrder)
  findings.push(
    ...(await unless('duplicate', () => duplicates(examination, sorted))),
    ...(await unless('reference', () => otherStorages(examination, sorted, rules))),
    ...(await ofTables(examination)),
  )
  return { examined, findings }
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
