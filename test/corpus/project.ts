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

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export type Orm = 'drizzle' | 'kysely' | 'mikro-orm' | 'prisma' | 'typeorm'

/** What a schema for one database is for the other. */
export type Dialect = (text: string) => string

interface Place {
  readonly name: string
  readonly file: string
}

/** What the command printed as JSON. */
export interface Told {
  readonly code: number
  readonly counts: Readonly<Record<'tables' | 'keys' | 'references' | 'adopted' | 'kept' | 'left', number>>
  readonly adopted: readonly (Place & { readonly kind: 'key' | 'reference' })[]
  readonly kept: readonly (Place & { readonly reason: string })[]
  readonly left: readonly (Place & { readonly reason: string })[]
  readonly failures: readonly Place[]
  readonly faults: readonly string[]
  readonly checked: boolean
  readonly diff: string
}

const PACKAGE = {
  drizzle: 'drizzle',
  kysely: 'kysely',
  'mikro-orm': 'mikro-orm',
  prisma: 'prisma-extension',
  typeorm: 'typeorm',
} as const

/** What the packages of an ORM don't have. */
const ABOVE = {
  ...Object.fromEntries(
    ['core', 'drizzle', 'kysely', 'mikro-orm', 'typeorm'].map((name) => [
      `@snoflax/${name}`,
      `../../packages/${name}`,
    ]),
  ),
  'better-auth': '../../packages/prisma-extension/node_modules/better-auth',
  '@paralleldrive/cuid2': '../node_modules/@paralleldrive/cuid2',
  nanoid: '../../bench/node_modules/nanoid',
}

/** A copy of a schema and its application, where the packages of its ORM are installed. */
export function copied(orm: Orm, name: string, variant: string, dialect: Dialect): string {
  const root = at(`../.vitest/corpus/${orm}`)
  const folder = join(root, `${name}-${variant}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const link = join(root, 'node_modules')
  if (!existsSync(link)) symlinkSync(at(`../../packages/${PACKAGE[orm]}/node_modules`), link)
  for (const [name, path] of Object.entries(ABOVE)) {
    const own = at(`../.vitest/corpus/node_modules/${name}`)
    mkdirSync(dirname(own), { recursive: true })
    if (!existsSync(own)) symlinkSync(at(path), own)
  }
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

/** How a database is named to the command. */
export const urlOf = (database: OpenDatabase): string =>
  (database as { file?: string }).file ?? (database as unknown as { url: string }).url

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
