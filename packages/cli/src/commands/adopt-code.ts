import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import { adoptDrizzle } from '../adopt-code/drizzle.js'
import { applyEdits, type Finding, Findings, unifiedDiff } from '../adopt-code/findings.js'
import { adoptPrisma, type GetDmmf } from '../adopt-code/prisma.js'
import { Sources } from '../adopt-code/sources.js'
import { adoptTypeorm } from '../adopt-code/typeorm.js'
import { EXIT, UsageError } from '../exit.js'
import type { Colour, Terminal } from '../terminal.js'

/** The name of a generator or a key, and the pattern of its keys. */
type Accepted = readonly [name: string, pattern: string]

interface Options {
  readonly accept?: Accepted[]
  readonly labels?: true
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
      '--accept <name=pattern>',
      'keys that are stored, repeatable: of a generator, of a key (users.id), or given: of all that the application passes',
      (text: string, others: Accepted[] = []) => [...others, acceptOf(text)],
    )
    .option('--labels', 'accept any text as a key, as tests with labels such as user-1 need it')
    .option('--branded', 'type the ids by their family, not as string')
    .option('--write', 'change the files')
    .option('--json', 'print a JSON object')
    .action((paths: string[], options: Options) => adopt(terminal, paths.length > 0 ? paths : ['.'], options))

async function adopt(terminal: Terminal, paths: readonly string[], options: Options): Promise<void> {
  const { labels = false, branded = false } = options
  const findings = new Findings({ accept: new Map(options.accept), labels, branded })
  const files = [...new Set(paths.flatMap((path) => filesIn(path)))].sort()
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
  const schemas = [...texts].filter(([file]) => file.endsWith('.prisma'))
  const code = new Map([...texts].filter(([file, text]) => !file.endsWith('.prisma') && READ.test(text)))
  let isFound = schemas.length > 0
  for (const group of groupsOf(schemas)) {
    const [first] = group.keys()
    const { getDMMF } = load<{ getDMMF: GetDmmf }>(
      '@prisma/get-dmmf',
      first as string,
      'getDMMF',
      'its version is that of your Prisma',
    )
    try {
      adoptPrisma(group, getDMMF, findings)
    } catch (error) {
      throw new UsageError(`${first}: ${(error as Error).message}`)
    }
  }
  if (code.size > 0) {
    const [first] = code.keys()
    const ts = load<typeof import('typescript')>(
      'typescript',
      first as string,
      'createSourceFile',
      'version 5 or 6, since 7 has no parser for other programs',
    )
    const sources = new Sources(ts, code)
    for (const read of [adoptDrizzle, adoptTypeorm]) isFound = read(sources, findings) || isFound
    for (const source of schemas.length > 0 ? sources.all : []) {
      sources.walk(source.node, (one) => {
        const isClient = ts.isNewExpression(one) && one.expression.getText() === 'PrismaClient'
        if (!isClient || source.node.text.includes('snoflax')) return
        const text = 'add .$extends(snoflax()), from the module that prisma generate writes'
        findings.leave(sources.placeOf(source, one, 'new PrismaClient(…)'), text)
      })
    }
  }
  if (!isFound)
    throw new UsageError(`no Prisma schema, Drizzle table or TypeORM entity in ${paths.join(', ')}`)
  await tell(terminal, findings, texts, options)
  if (options.write)
    for (const [file, edits] of findings.edits)
      writeFileSync(file, applyEdits(texts.get(file) as string, edits))
  if (findings.left.length > 0) terminal.exitCode = EXIT.findings
}

/** Files that may have something to read. */
const READ = /drizzle-orm|typeorm|PrismaClient|cuid|nanoid|uuid|randomUUID|ulid/i
const SKIPPED = /^(?:\.|node_modules$|dist$|build$|coverage$|generated$)/

function filesIn(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new UsageError(`${path} does not exist`)
  if (found.isFile()) return [relative('.', path)]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const own = join(path, entry.name)
    if (entry.isDirectory()) return SKIPPED.test(entry.name) ? [] : filesIn(own)
    return /(?<!\.d)\.[cm]?tsx?$|\.prisma$/.test(entry.name) ? [relative('.', own)] : []
  })
}

/** Prisma's files by the schema to which they belong: each datasource is one, with what lies beside and below it. */
function groupsOf(files: readonly (readonly [string, string])[]): Map<string, string>[] {
  const roots = files
    .filter(([, text]) => /^[ \t]*datasource[ \t]+\w+[ \t]*\{/m.test(text))
    .map(([file]) => file)
  const groups = new Map<string | undefined, Map<string, string>>()
  for (const [file, text] of files) {
    const above = roots.filter((root) => !relative(dirname(root), file).startsWith('..'))
    const root = roots.includes(file) ? file : above.sort((one, other) => other.length - one.length)[0]
    groups.set(root, (groups.get(root) ?? new Map()).set(file, text))
  }
  return [...groups.values()]
}

/** A parser: the project's own, else the one beside this command. @throws {UsageError} */
function load<Module>(name: string, file: string, needed: keyof Module, which: string): Module {
  for (const from of [resolve(file), import.meta.url]) {
    try {
      const found = createRequire(from)(name) as Module
      if (typeof found[needed] === 'function') return found
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new UsageError(
    `${file} is read by ${name}, which is not installed; install it: npm install --save-dev ${name} (${which})`,
  )
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

const COLOURS: Readonly<Record<string, Colour>> = { '+': 'green', '-': 'red' }

async function tell(
  terminal: Terminal,
  findings: Findings,
  texts: ReadonlyMap<string, string>,
  options: Options,
): Promise<void> {
  const { keys, references, left } = findings
  const next = [...findings.next]
  const diff = [...findings.edits].flatMap(([file, edits]) =>
    unifiedDiff(file, texts.get(file) as string, edits),
  )
  if (options.json) {
    const text = diff.map((line) => `${line}\n`).join('')
    return terminal.printJson({ keys, references, left, next, diff: text })
  }
  const list = (title: string, found: readonly Finding[], arrow: string): string[] =>
    found.length === 0
      ? []
      : [
          terminal.paint('bold', `${title}: ${found.length}`),
          ...found.map(({ file, line, name, text }) => `  ${file}:${line}  ${name} ${arrow} ${text}`),
          '',
        ]
  await terminal.print([...list('keys', keys, 'stores'), ...list('foreign keys', references, '→')])
  await terminal.print([
    ...diff.map((line) => {
      const colour = /^(?:---|\+\+\+|@@)/.test(line) ? 'cyan' : COLOURS[line[0] ?? '']
      return colour ? terminal.paint(colour, line) : line
    }),
    '',
  ])
  await terminal.print([
    ...list('left to do by hand', left, '—'),
    ...next.map((one) => `next: ${one}`),
    options.write
      ? 'written'
      : diff.length > 0
        ? 'nothing was changed; --write changes the files'
        : 'nothing to change',
  ])
}
