import { type Database, fixedId, type IdFamily } from '@snoflax/core'
import { baseOf, isPrefixed } from '@snoflax/core/adapter'
import { type Column, type LiveDatabase, placeOf } from '../live/database.js'
import { checkDeclaration, checkDefault } from './declaration.js'
import { duplicates, otherStorages, repeated } from './duplicates.js'
import type { Examination, Functions, TableChecks } from './examination.js'
import type { IdColumn } from './id-column.js'
import { identify, isExamined, type Known } from './id-columns.js'
import { checkFunctions as checkMysqlFunctions } from './mysql/functions.js'
import { tableChecks as mysqlTableChecks } from './mysql/tables.js'
import { checkFunctions as checkPostgresFunctions } from './postgres/functions.js'
import { tableChecks as postgresTableChecks } from './postgres/tables.js'
import { type CheckName, type ExaminedColumn, type Finding, finding, type Report } from './report.js'
import { tableChecks as sqliteTableChecks } from './sqlite/tables.js'
import type { UuidColumn } from './uuids.js'
import { checkValues, type Scan, scan } from './values.js'

interface ExamineOptions
  extends Omit<Known, 'schema'>,
    Pick<Examination, 'sample' | 'full' | 'skip' | 'progress'> {
  readonly schema: string | undefined
}

export async function examine(
  database: LiveDatabase,
  { schema: stated, ...rest }: ExamineOptions,
): Promise<Report> {
  const options = { ...rest, schema: stated ?? 'snoflax' }
  options.progress('reading the catalog')
  // The rows of an inheriting table are read with those of its parent.
  const known = (await database.columns()).filter(({ isChild }) => !isChild)
  const notes = Array.from(
    await database.unlisted(),
    ([why, what]) => `not examined, ${why}: ${what.join(', ')}`,
  )
  const functions = await RULES[database.kind].ofFunctions?.(database, options, notes)
  const { columns, whole, uuids } = await identify(database, known, options, notes)
  const allColumns = known.filter(isExamined)
  const installed = functions?.installed
  const examination = {
    ...options,
    database,
    allColumns,
    columns,
    whole,
    installed,
    nowMs: Date.now(),
    notes,
  }
  const { examined, findings: faults } = await examineColumns(examination, uuids)
  const found = [
    ...(functions?.findings ?? []),
    ...missing(known, options),
    ...mismatched(examination),
    ...sharing(examination),
    ...overlapping(examination),
    ...faults,
  ].filter(({ check }) => !options.skip.includes(check))
  return {
    database: database.label,
    installed: functions?.label ?? null,
    columns: examined,
    notes,
    unchecked: [
      columns.length === 0 &&
        "no id column was found; name your columns, such as --column orders.id=flax:ord_, or pass your ORM's schema, such as --drizzle schema.js",
      stated !== undefined &&
        functions === undefined &&
        `schema ${stated} has no functions of ours; correct --schema, or leave it out`,
    ].filter((one) => one !== false),
    findings: found.filter(({ severity }) => severity !== 'advice'),
    advice: found.filter(({ severity }) => severity === 'advice'),
  }
}

interface Rules {
  ofFunctions?(
    database: LiveDatabase,
    options: Pick<Examination, 'schema' | 'families' | 'skip'>,
    notes: string[],
  ): Promise<Functions | undefined>
  readonly ofTables: TableChecks
}

const MYSQL: Rules = {
  ofFunctions: checkMysqlFunctions,
  ofTables: mysqlTableChecks,
}

const RULES: Readonly<Record<Database, Rules>> = {
  postgres: { ofFunctions: checkPostgresFunctions, ofTables: postgresTableChecks },
  sqlite: { ofTables: sqliteTableChecks },
  mysql: MYSQL,
  mariadb: MYSQL,
}

/** Columns that an ORM declares and the database doesn't have. */
function missing(known: readonly Column[], { declared }: Pick<ExamineOptions, 'declared'>): Finding[] {
  const places = new Set(known.map(placeOf))
  return declared
    .filter(({ place }) => !places.has(place))
    .map(({ place, family }) => {
      const leaves = "run the application's migrations, or correct its schema"
      return finding('declaration', place, `declared as ${family.name}, but not in the database`, { leaves })
    })
}

/** Columns that are declared with another family or prefix than the column that they reference. */
function mismatched({ columns }: Examination): Finding[] {
  const byPlace = new Map(columns.map((one) => [placeOf(one.column), one]))
  return columns
    .filter(({ evidence }) => evidence === 'declared' || evidence === 'option')
    .flatMap(({ column, family, evidence }) => {
      const target = byPlace.get(column.references ?? '')
      if (target?.evidence !== evidence || target.family.name === family.name) return []
      const message = `declared as ${family.name}, but it references ${placeOf(target.column)}, which is declared as ${target.family.name}`
      return [
        finding('declaration', placeOf(column), message, { leaves: 'declare both with the same family' }),
      ]
    })
}

/** Keys of tables without a foreign key between them that are declared with one prefix. */
function sharing({ columns }: Examination): Finding[] {
  const first = new Map<string, Column>()
  return columns.flatMap(({ column, family, evidence }) => {
    const isDeclared = evidence === 'declared' || evidence === 'option'
    if (!isDeclared || !isPrefixed(family) || !column.isKey || column.references !== undefined) return []
    const other = first.get(family.prefix)
    if (other === undefined) first.set(family.prefix, column)
    if (other === undefined || isNamedAfter(column, other) || isNamedAfter(other, column)) return []
    const message = `declared with the prefix ${family.prefix}_, as ${placeOf(other)} is: the prefix doesn't tell their ids apart`
    const leaves =
      'declare one of them with another prefix; if they have the same ids, add a foreign key between them'
    return [finding('declaration', placeOf(column), message, { leaves }, 'warning')]
  })
}

/** How many ids of another family an `accept` must take to be reported. */
const PROBES = 64

/** Columns whose `accept` also takes the ids of a column of another family, which are then not refused there. */
function overlapping({ columns }: Examination): Finding[] {
  return columns.flatMap(({ column, family, accepting }) => {
    if (accepting === undefined || column.references !== undefined) return []
    const takesAll = (other: IdFamily): boolean =>
      Array.from({ length: PROBES }, (_, n) => fixedId(other, `probe ${n}`)).every((id) => accepting.is(id))
    const taken = columns.find(
      (one) => one.family.name !== family.name && one.column.references === undefined && takesAll(one.family),
    )
    if (taken === undefined) return []
    const message = `its accept also takes every id of ${placeOf(taken.column)}, so an id of the wrong table isn't refused`
    const leaves = 'narrow the pattern, or give one of the columns a prefix that the pattern excludes'
    return [finding('declaration', placeOf(column), message, { leaves }, 'warning')]
  })
}

/** Whether a column such as `user_id` or `userId` is named after a table `user` or `users`. */
function isNamedAfter({ name }: Column, { table }: Column): boolean {
  const named = /^(.+?)_?id$/i.exec(name)?.[1]?.toLowerCase()
  return named !== undefined && (table.split('.').at(-1) as string).toLowerCase().startsWith(named)
}

const OF_VALUES: readonly CheckName[] = ['malformed', 'future', 'duplicate', 'reference']

async function examineColumns(
  examination: ExamineOptions & Examination,
  uuids: readonly UuidColumn[],
): Promise<{ readonly examined: ExaminedColumn[]; readonly findings: Finding[] }> {
  const { database, skip } = examination
  const { ofTables } = RULES[database.kind]
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
    const found = await checkDeclaration(examination, column)
    findings.push(...found)
    // A wrong type also affects default and values: they are checked again once it is fixed.
    if (found.some(({ check }) => check === 'type')) continue
    findings.push(...(await unless('default', () => checkDefault(examination, column))))
    if (!scanned) continue
    findings.push(...checkValues(scanned))
    findings.push(...(await unless('duplicate', () => repeated(examination, scanned))))
  }
  const disorderly = new Set(
    findings.flatMap(({ check, where }) => (check === 'type' || check === 'collation' ? where : [])),
  )
  const sorted = scans.filter(({ idColumn }) => !disorderly.has(placeOf(idColumn.column)))
  findings.push(...duplicates(sorted), ...otherStorages(sorted, needsValues ? uuids : []))
  for (const [check, look] of ofTables) findings.push(...(await unless(check, () => look(examination))))
  return { examined, findings }
}

const toExamined = (
  { column, family, storage, evidence }: IdColumn,
  scan: Scan | undefined,
): ExaminedColumn => ({
  place: placeOf(column),
  family: baseOf(family).name,
  ...(isPrefixed(family) && { prefix: family.prefix }),
  storage: storage?.name ?? null,
  evidence,
  rowsRead: scan?.rowsRead ?? 0,
  isComplete: scan?.isComplete ?? false,
})
