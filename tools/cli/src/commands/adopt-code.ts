import { Command } from 'commander'
import { applyEdits } from '../adopt-code/edits.js'
import { readFiles } from '../adopt-code/files.js'
import { adoptFiles } from '../adopt-code/project.js'
import { printJson, printReport } from '../adopt-code/report.js'
import { EXIT, UsageError } from '../exit.js'
import type { Terminal } from '../terminal.js'
import { positiveInteger } from './options.js'

/** A key and the pattern of its ids. */
type Pattern = readonly [name: string, pattern: string]

interface Options {
  readonly url?: string
  readonly unchecked?: true
  readonly rows: number
  readonly pattern?: Pattern[]
  readonly branded?: true
  readonly write?: true
  readonly json?: true
}

export const adoptCode = (terminal: Terminal): Command =>
  new Command('code')
    .description(
      'load a Drizzle schema, a DataSource of TypeORM, a configuration of MikroORM, a Prisma schema or the interface of Kysely, and print the diff that gives its keys definitions, by which they keep their ids',
    )
    .argument('[paths...]', 'schemas, data sources and folders of them (default: this folder)')
    .option(
      '--url <url>',
      'the database to compare stored keys with the definitions: postgres://…, mysql://… or an SQLite file. It is only read',
    )
    .option('--rows <number>', 'rows of a table to read from it', positiveInteger, 1_000_000)
    .option(
      '--pattern <name=pattern>',
      'the pattern of the ids of a key, if what generates them is not known: repeatable',
      (text: string, others: Pattern[] = []) => [...others, patternOf(text)],
    )
    .option('--branded', 'type the ids by their definition, not as string')
    .option('--write', 'change the files')
    .option('--unchecked', 'with --write: there are no stored keys to compare')
    .option('--json', 'print a JSON object')
    .action((paths: string[], options: Options) => adopt(terminal, paths.length > 0 ? paths : ['.'], options))

async function adopt(terminal: Terminal, paths: readonly string[], options: Options): Promise<void> {
  if (options.write && options.url === undefined && !options.unchecked)
    throw new UsageError(
      'pass --url "$DATABASE_URL", so that stored keys are compared before files change, or --unchecked if there are none',
    )
  const files = readFiles(paths)
  const outcome = await adoptFiles(paths, files, {
    url: options.url,
    rows: options.rows,
    patterns: new Map(options.pattern),
    isBranded: options.branded ?? false,
  })
  const { edits, texts, missing, faults, left, isPartial } = outcome
  const isRefused = missing !== undefined || faults.length > 0
  const isWritten = options.write === true && !isRefused
  if (isWritten)
    files.replace(
      new Map([...edits].map(([file, own]) => [file, applyEdits(texts.get(file) as string, own)])),
    )
  await (options.json ? printJson : printReport)(terminal, outcome, isWritten)
  if (options.write && isRefused)
    terminal.complain(
      missing === undefined
        ? 'nothing was written: the application would not be the same'
        : `nothing was written: install ${missing}, so that the application can be loaded as it would be`,
    )
  if (isPartial) terminal.exitCode = EXIT.unchecked
  else if (left.length > 0 || faults.length > 0 || (options.write && isRefused))
    terminal.exitCode = EXIT.findings
}

function patternOf(text: string): Pattern {
  const [, name, pattern] = /^([^=]+)=\/?\^?(.+?)\$?\/?$/.exec(text) ?? []
  try {
    if (name && pattern && new RegExp(`^${pattern}$`)) return [name, pattern]
  } catch {}
  throw new UsageError(
    `--pattern must be a column and a regular expression, such as 'users.id=usr_[a-z0-9]{12}', not ${text}`,
  )
}
