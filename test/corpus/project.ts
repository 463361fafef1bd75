import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OpenDatabase } from '@snoflax/test'
import { run } from 'snoflax'
import ts from 'typescript'
import { expect } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export type Orm = 'drizzle' | 'kysely' | 'prisma' | 'typeorm'

/** What a schema for one database is for the other. */
export type Dialect = (text: string) => string

/** What the command printed as JSON. */
export interface Told {
  readonly code: number
  readonly counts: { readonly tables: number; readonly keys: number; readonly references: number }
  readonly keys: readonly { readonly name: string; readonly text: string }[]
  readonly references: readonly { readonly name: string }[]
  readonly left: readonly {
    readonly file: string
    readonly line: number
    readonly name: string
    readonly text: string
  }[]
  readonly unread: readonly { readonly name: string; readonly text: string }[]
  readonly notes: readonly { readonly name: string; readonly text: string }[]
  readonly diff: string
}

const PACKAGE = {
  drizzle: 'drizzle',
  kysely: 'kysely',
  prisma: 'prisma-extension',
  typeorm: 'typeorm',
} as const

/** A copy of a schema and its application, where the packages of its ORM are installed. */
export function copied(orm: Orm, name: string, variant: string, dialect: Dialect): string {
  const root = at(`../.vitest/corpus/${orm}`)
  const folder = join(root, `${name}-${variant}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const link = join(root, 'node_modules')
  if (!existsSync(link)) symlinkSync(at(`../../packages/${PACKAGE[orm]}/node_modules`), link)
  // The only package that has it.
  const auth = at('../.vitest/corpus/node_modules/better-auth')
  mkdirSync(dirname(auth), { recursive: true })
  if (!existsSync(auth)) symlinkSync(at('../../packages/prisma-extension/node_modules/better-auth'), auth)
  // What lies above, for what only this folder's package.json names.
  cpSync(at('app.ts'), join(root, 'app.ts'))
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  for (const file of readdirSync(at(`${orm}-${name}`))) {
    writeFileSync(join(folder, file), dialect(readFileSync(at(`${orm}-${name}/${file}`), 'utf8')))
  }
  return folder
}

/** Of applications with decorators. */
const TSCONFIG = {
  compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false, target: 'ES2022' },
}

/** Runs `snoflax adopt code`. */
export async function adopted(folder: string, ...options: string[]): Promise<Told> {
  const [out, err] = [[], []] as [string[], string[]]
  const collect = (lines: string[]) => ({ write: (text: string) => lines.push(text) > 0 })
  const stdin = { async *[Symbol.asyncIterator]() {} }
  const io = { stdin, stdout: collect(out), stderr: collect(err), env: {} }
  const code = await run(['adopt', 'code', folder, '--json', ...options], io)
  if (code === 2) throw new Error(err.join(''))
  return { ...JSON.parse(out.join('')), code }
}

/** How many lines the command added. */
export const linesOf = ({ diff }: Told): number => diff.match(/^\+(?!\+\+ )/gm)?.length ?? 0

/** How a database is named to the command. */
export const urlOf = (database: OpenDatabase): string =>
  (database as { file?: string }).file ?? (database as unknown as { url: string }).url

/** PostgreSQL sorts texts by a language, unless a migration says otherwise: `snoflax doctor` prints these statements. */
export async function toBinaryOrder(database: OpenDatabase): Promise<void> {
  const statements = await database.query(`
  SELECT DISTINCT format('ALTER TABLE %s ALTER COLUMN %I TYPE text COLLATE "C"', a.attrelid::regclass, a.attname) AS statement
    FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
   WHERE c.connamespace = 'public'::regnamespace AND c.contype IN ('p', 'f') AND a.atttypid IN ('text'::regtype, 'varchar'::regtype)`)
  for (const { statement } of statements) await database.query(statement as string)
}

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  experimentalDecorators: true,
  useDefineForClassFields: false,
  strictPropertyInitialization: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
  paths: {
    '@snoflax/drizzle/*': [at('../../packages/drizzle/src/*')],
    '@snoflax/core/*': [at('../../packages/core/src/*')],
    '@snoflax/*': [at('../../packages/*/src')],
  },
}

/** What the compiler says of an application, line by line. */
export function compilerErrors(folder: string): string[] {
  const program = ts.createProgram([join(folder, 'app.ts')], OPTIONS)
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file?.fileName.startsWith(folder))
    .map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1
      return `${basename(file?.fileName ?? '')}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
}

/** Runs a migration that changes columns of foreign keys in MySQL, as docs/switching.md describes. */
export async function runUnbound(database: OpenDatabase, statements: readonly string[]): Promise<void> {
  const [, query = ''] =
    /```sql\n(SELECT[\s\S]*?);\n```/.exec(readFileSync(at('../../docs/switching.md'), 'utf8')) ?? []
  const keys = await database.query(query)
  expect(keys.length).toBeGreaterThan(0)
  for (const one of [...keys.map(({ above }) => above), ...statements, ...keys.map(({ below }) => below)])
    await database.query(one as string)
}
