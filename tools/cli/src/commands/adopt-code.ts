import { Command } from 'commander'
import { type Answer, askDatabase } from '../adopt-code/database.js'
import { applyEdits } from '../adopt-code/edits.js'
import { readFiles } from '../adopt-code/files.js'
import { Findings, type Wanted } from '../adopt-code/findings.js'
import { Project } from '../adopt-code/project.js'
import { printJson, printReport } from '../adopt-code/report.js'
import { EXIT, UsageError } from '../exit.js'
import type { Terminal } from '../terminal.js'
import { positiveInteger } from './options.js'

/** The name of a generator or a key, and the pattern of its keys. */
type Accepted = readonly [name: string, pattern: string]

interface Options {
  readonly url?: string
  readonly rows: number
  readonly accept?: Accepted[]
  readonly branded?: true
  readonly write?: true
  readonly json?: true
}

export const adoptCode = (terminal: Terminal): Command =>
  new Command('code')
    .description(
      'print the diff that makes keys and foreign keys of Drizzle, Prisma and TypeORM id columns, which keep the rows that they have',
    )
    .argument('[paths...]', 'schemas, entities and folders of them (default: this folder)')
    .option(
      '--url <url>',
      'the database whose keys are kept: postgres://…, mysql://… or an SQLite file. It is only read, by one query a table',
    )
    .option('--rows <number>', 'rows of a table to read from it', positiveInteger, 1_000_000)
    .option(
      '--accept <name=pattern>',
      'keys that are stored, repeatable: of a generator, of a key (users.id), or given: of all that the application passes',
      (text: string, others: Accepted[] = []) => [...others, acceptOf(text)],
    )
    .option('--branded', 'type the ids by their family, not as string')
    .option('--write', 'change the files')
    .option('--json', 'print a JSON object')
    .action((paths: string[], options: Options) => adopt(terminal, paths.length > 0 ? paths : ['.'], options))

async function adopt(terminal: Terminal, paths: readonly string[], options: Options): Promise<void> {
  const files = readFiles(paths)
  const project = new Project(files.texts)
  let wanted: Wanted = { accept: new Map(options.accept), branded: options.branded ?? false }
  let [findings, answer]: [Findings, Answer | undefined] = [new Findings(wanted), undefined]
  if (!project.adopt(findings))
    throw new UsageError(
      `no Prisma schema, Drizzle table, TypeORM entity or Kysely client in ${paths.join(', ')}`,
    )
  if (options.url !== undefined) {
    answer = await askDatabase(options.url, findings.asked, wanted, options.rows)
    wanted = { ...wanted, database: answer.byKey }
    findings = new Findings(wanted)
    project.adopt(findings)
  }
  const isRefused = answer !== undefined && answer.refused.length > 0
  const isWritten = options.write === true && !isRefused
  if (isWritten) {
    const edited = [...findings.edits].filter(([, edits]) => edits.length > 0)
    files.replace(
      new Map(edited.map(([file, edits]) => [file, applyEdits(files.texts.get(file) as string, edits)])),
    )
  }
  const told = { findings, texts: files.texts, answer, leftovers: files.leftovers, isWritten }
  await (options.json ? printJson(terminal, told) : printReport(terminal, told))
  if (options.write && isRefused)
    terminal.complain('nothing was written: the database stores keys that would be refused')
  if (findings.unread.length > 0) terminal.exitCode = EXIT.unchecked
  else if (findings.left.length > 0 || isRefused) terminal.exitCode = EXIT.findings
}

function acceptOf(text: string): Accepted {
  const [, name, pattern] = /^([^=]+)=\/?\^?(.+?)\$?\/?$/.exec(text) ?? []
  try {
    if (name && pattern && new RegExp(`^${pattern}$`)) return [name, pattern]
  } catch {}
  throw new UsageError(
    `--accept must be a name and a regular expression, such as 'users.id=usr_[a-z0-9]{12}', not ${text}`,
  )
}
