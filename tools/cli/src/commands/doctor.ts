import { Command, Option } from 'commander'
import { declaredIn, type Orm } from '../doctor/declared.js'
import { examine } from '../doctor/examine.js'
import { parseColumn, type StatedColumn } from '../doctor/id-columns.js'
import { CHECKS, type CheckName, type ExaminedColumn, type Finding, type Report } from '../doctor/report.js'
import { EXIT } from '../exit.js'
import { type FamilyOptions, families } from '../ids/families.js'
import { readDatabase } from '../live/open.js'
import type { Paint, Terminal } from '../terminal.js'
import { addFamilyOptions, addressOf, examples, nonNegativeInteger } from './options.js'

interface Options extends FamilyOptions, Partial<Readonly<Record<Orm, string>>> {
  readonly schema?: string
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
      .description('find problems with ids in a database; reads only')
      .argument(
        '[url]',
        'postgres://…, mysql://…, mariadb://…, or an SQLite file (default: DATABASE_URL; other users see arguments in the list of processes)',
      )
      .option('--schema <name>', 'schema of the pg-sql functions (default: snoflax)')
      .option(
        '--column <table.column=family[:storage]>',
        'declares a column of ids, such as orders.id=sno:uuid or customers.id=flax:cus_; can be repeated',
        collect,
        [],
      )
      .option('--typeorm <file>', 'a module that exports the DataSource, to find its id columns')
      .option('--prisma <schema>', 'the Prisma schema or its folder, to find its id columns')
      .option('--drizzle <file>', 'a module that exports the tables, to find their id columns')
      .option('--kysely <file>', 'a module that exports the idPlugin, to find its id columns')
      .option('--sample <rows>', 'how many rows to read of each large table', nonNegativeInteger, 10_000)
      .option('--full', 'read all rows of all tables')
      .addOption(new Option('--skip <checks...>', 'skip these checks').choices(CHECKS).default([]))
      .option('--json', 'print a JSON object')
      .addHelpText(
        'after',
        examples(
          'doctor "$DATABASE_URL"',
          'doctor app.db --column orders.id=flax:ord_',
          'doctor --drizzle dist/schema.js',
        ),
      ),
  ).action(
    async (address: string | undefined, { column, schema, full = false, json, ...options }: Options) => {
      const url = addressOf(terminal, 'a URL or an SQLite file', address)
      const stated = column.map((text) => parseColumn(text, options))
      const declared: StatedColumn[] = []
      for (const orm of ORMS) {
        const file = options[orm]
        if (file !== undefined) declared.push(...(await declaredIn(orm, file)))
      }
      const progress = (text: string): void => terminal.progress(text)
      const known = { ...options, schema, full, stated, declared, families: families(options), progress }
      const report = await readDatabase('doctor', url, (database) => examine(database, known))
      progress('')
      if (report.findings.length > 0) terminal.exitCode = EXIT.findings
      else if (report.unchecked.length > 0) terminal.exitCode = EXIT.unchecked
      if (json) await terminal.printJson(report)
      else await terminal.print(picture(report, terminal.paint))
    },
  )

const ORMS: readonly Orm[] = ['typeorm', 'prisma', 'drizzle', 'kysely']

function picture(
  { database, installed, columns, notes, unchecked, findings, advice }: Report,
  paint: Paint,
): string[] {
  const head = `${paint('bold', database)}${installed === null ? '' : `, ${installed}`}`
  const examined = columns.length > 0 ? columns.map(columnLine) : ['  no id column found']
  return [
    head,
    ...examined,
    ...notes.map((note) => `  ${note}`),
    '',
    ...findings.flatMap((finding, n) => findingLines(finding, findings[n + 1], paint)),
    ...advice.flatMap((finding, n) => findingLines(finding, advice[n + 1], paint)),
    ...(findings.length > 0 ? [] : unchecked.map((what) => paint('yellow', `nothing was checked: ${what}`))),
    ...(findings.length > 0 || unchecked.length === 0 ? [summary(findings, paint)] : []),
  ]
}

function columnLine({
  place,
  family,
  prefix,
  storage,
  evidence,
  rowsRead,
  isComplete,
}: ExaminedColumn): string {
  const read = isComplete ? `all ${rowsRead} ids read` : `${rowsRead} ids read, a sample`
  const behind = prefix === undefined ? '' : ` behind ${prefix}_`
  return `  ${place}  ${family}${behind} as ${storage ?? 'no storage'}, by its ${EVIDENCE[evidence]}; ${read}`
}

const EVIDENCE: Readonly<Record<string, string>> = {
  option: 'option',
  declared: 'schema',
  default: 'declaration',
  reference: 'foreign key',
  values: 'values',
}

const COLORS = { error: 'red', warning: 'yellow', advice: 'bold' } as const

/** If consecutive findings have the same cure, it is printed under the last. */
function findingLines(
  { check, severity, where, message, cure }: Finding,
  next: Finding | undefined,
  paint: Paint,
): string[] {
  const label = paint(COLORS[severity], `${severity} ${check}`)
  const { sql, shell, leaves } = cure
  const text = [...(sql === undefined ? [] : [`${sql};`]), ...(shell === undefined ? [] : [`$ ${shell}`])]
  const lines = text
    .join('\n')
    .split('\n')
    .map((line) => paint('dim', `    ${line}`))
  const isRepeated = JSON.stringify(cure) === JSON.stringify(next?.cure)
  const cureLines = [
    ...(text.length > 0 ? ['  cure:', ...lines] : []),
    ...(leaves === undefined ? [] : [`  ${text.length > 0 ? 'left' : 'no cure'}: ${leaves}`]),
    '',
  ]
  return [`${label}  ${where}`, `  ${message}`, ...(isRepeated ? [] : cureLines)]
}

function summary(findings: readonly Finding[], paint: Paint): string {
  if (findings.length === 0) return paint('green', 'no findings')
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return `errors: ${errors}, warnings: ${findings.length - errors}`
}
