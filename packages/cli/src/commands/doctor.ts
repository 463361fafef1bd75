import { Command, Option } from 'commander'
import { parseTold } from '../doctor/columns/told.js'
import { isDatabaseError } from '../doctor/drivers.js'
import { type ExaminedColumn, type ExamineOptions, examine, type Report } from '../doctor/examine.js'
import { CHECKS, type CheckName, type Finding } from '../doctor/finding.js'
import type { LiveDatabase } from '../doctor/live-database.js'
import { openDatabase } from '../doctor/open.js'
import { EXIT, UsageError } from '../exit.js'
import { type FamilyOptions, families } from '../ids/families.js'
import type { Paint } from '../terminal/colour.js'
import type { Terminal } from '../terminal/terminal.js'
import { addFamilyOptions, wholeNumber } from './family-options.js'

interface Options extends FamilyOptions {
  readonly schema: string
  readonly column: readonly string[]
  readonly sample: number
  readonly full?: boolean
  readonly skip: readonly CheckName[]
  readonly json?: true
}

const collect = (value: string, values: readonly string[]): string[] => [...values, value]

export const doctor = (terminal: Terminal): Command =>
  addFamilyOptions(
    new Command('doctor')
      .description('examine a database that holds ids; it only reads')
      .argument('<url>', 'postgres://…, mysql://…, mariadb://…, or an SQLite file')
      .option('--schema <name>', 'schema of the pg-sql functions', 'snoflax')
      .option(
        '--column <table.column=family[:storage]>',
        'a column that holds ids; can be repeated',
        collect,
        [],
      )
      .option('--sample <rows>', 'rows to read of a table that has more', wholeNumber, 10_000)
      .option('--full', 'read all rows of all tables')
      .addOption(new Option('--skip <checks...>', 'leave these checks out').choices(CHECKS).default([]))
      .option('--json', 'print a JSON object'),
  ).action(async (url: string, { column, full = false, json, ...options }: Options) => {
    const told = column.map((text) => parseTold(text, options))
    const report = await examineAt(url, { ...options, full, told, families: families(options) })
    if (report.findings.length > 0) terminal.exitCode = EXIT.findings
    if (json) await terminal.printJson(report)
    else await terminal.print(picture(report, terminal.paint))
  })

async function examineAt(url: string, options: ExamineOptions): Promise<Report> {
  try {
    return await examineOpened(await openDatabase(url), options)
  } catch (error) {
    if (isDatabaseError(error)) throw new UsageError(`the examination failed: ${error.message}`)
    throw error
  }
}

async function examineOpened(database: LiveDatabase, options: ExamineOptions): Promise<Report> {
  try {
    return await examine(database, options)
  } finally {
    await database.close()
  }
}

function picture({ database, pgSql, columns, notes, findings }: Report, paint: Paint): string {
  const head = `${paint('bold', database)}${pgSql === null ? '' : `, pg-sql ${pgSql}`}`
  const examined = columns.length > 0 ? columns.map(columnLine) : ['  no column that holds ids was found']
  return [
    head,
    ...examined,
    ...notes.map((note) => `  ${note}`),
    '',
    ...findings.map((finding) => findingLines(finding, paint)),
    summary(findings, paint),
  ].join('\n')
}

function columnLine({ place, family, storage, evidence, rowsRead, isComplete }: ExaminedColumn): string {
  const read = isComplete ? `all ${rowsRead} ids read` : `${rowsRead} ids read, a sample`
  return `  ${place}  ${family} as ${storage ?? 'no storage of its own'}, by its ${EVIDENCE[evidence]}; ${read}`
}

const EVIDENCE: Readonly<Record<string, string>> = {
  told: 'option',
  default: 'declaration',
  reference: 'foreign key',
  values: 'values',
}

function findingLines({ check, severity, where, message, cure }: Finding, paint: Paint): string {
  const label = paint(severity === 'error' ? 'red' : 'yellow', `${severity} ${check}`)
  const text = 'sql' in cure ? `${cure.sql};` : `$ ${cure.shell}`
  const indented = text.split('\n').map((line) => paint('dim', `    ${line}`))
  return [`${label}  ${where}`, `  ${message}`, '  cure:', ...indented, ''].join('\n')
}

function summary(findings: readonly Finding[], paint: Paint): string {
  if (findings.length === 0) return paint('green', 'no findings')
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return `errors: ${errors}, warnings: ${findings.length - errors}`
}
