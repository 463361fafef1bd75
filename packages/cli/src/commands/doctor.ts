import { Command, Option } from 'commander'
import { type ExamineOptions, examine } from '../doctor/examine.js'
import { parseTold } from '../doctor/id-columns.js'
import { isDatabaseError } from '../doctor/live-database.js'
import { openDatabase } from '../doctor/open.js'
import { CHECKS, type CheckName, type ExaminedColumn, type Finding, type Report } from '../doctor/report.js'
import { EXIT, UsageError } from '../exit.js'
import { type FamilyOptions, families } from '../ids/families.js'
import type { Paint, Terminal } from '../terminal.js'
import { addFamilyOptions, wholeNumber } from './options.js'

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
    const database = await openDatabase(url)
    try {
      return await examine(database, options)
    } finally {
      await database.close()
    }
  } catch (error) {
    if (isDatabaseError(error)) throw new UsageError(`doctor failed: ${error.message}`)
    throw error
  }
}

function picture({ database, pgSql, columns, notes, findings, advice }: Report, paint: Paint): string {
  const head = `${paint('bold', database)}${pgSql === null ? '' : `, pg-sql ${pgSql}`}`
  const examined = columns.length > 0 ? columns.map(columnLine) : ['  no column that holds ids was found']
  return [
    head,
    ...examined,
    ...notes.map((note) => `  ${note}`),
    '',
    ...findings.map((finding, n) => findingLines(finding, findings[n + 1], paint)),
    ...advice.map((finding, n) => findingLines(finding, advice[n + 1], paint)),
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

const COLORS = { error: 'red', warning: 'yellow', advice: 'bold' } as const

/** What cures several in a row is written once, under the last. */
function findingLines(
  { check, severity, where, message, cure }: Finding,
  next: Finding | undefined,
  paint: Paint,
): string {
  const label = paint(COLORS[severity], `${severity} ${check}`)
  const text = 'sql' in cure ? `${cure.sql};` : `$ ${cure.shell}`
  const lines = text.split('\n').map((line) => paint('dim', `    ${line}`))
  const isRepeated = JSON.stringify(cure) === JSON.stringify(next?.cure)
  return [`${label}  ${where}`, `  ${message}`, ...(isRepeated ? [] : ['  cure:', ...lines, ''])].join('\n')
}

function summary(findings: readonly Finding[], paint: Paint): string {
  if (findings.length === 0) return paint('green', 'no findings')
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return `errors: ${errors}, warnings: ${findings.length - errors}`
}
