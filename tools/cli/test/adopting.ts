import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { cli, json } from './running.js'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const root = at('../.vitest')
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** What applications install, where this repository has it. */
const INSTALLED = {
  'drizzle-orm': '../../../packages/drizzle/node_modules/drizzle-orm',
  typeorm: '../../../packages/typeorm/node_modules/typeorm',
  'reflect-metadata': '../../../packages/typeorm/node_modules/reflect-metadata',
  'better-sqlite3': '../../../packages/typeorm/node_modules/better-sqlite3',
  kysely: '../../../packages/kysely/node_modules/kysely',
  prisma: '../../../packages/prisma-extension/node_modules/prisma',
  pg: '../../../packages/typeorm/node_modules/pg',
  '@paralleldrive/cuid2': '../../../test/node_modules/@paralleldrive/cuid2',
  nanoid: '../../../bench/node_modules/nanoid',
  'typeid-js': '../../../bench/node_modules/typeid-js',
  ulid: '../../../bench/node_modules/ulid',
  uuid: '../../../bench/node_modules/uuid',
  uuidv7: '../../../bench/node_modules/uuidv7',
  '@mikro-orm/core': '../../../packages/mikro-orm/node_modules/@mikro-orm/core',
  '@mikro-orm/decorators': '../../../packages/mikro-orm/node_modules/@mikro-orm/decorators',
  '@mikro-orm/postgresql': '../../../packages/mikro-orm/node_modules/@mikro-orm/postgresql',
  '@mikro-orm/mariadb': '../../../packages/mikro-orm/node_modules/@mikro-orm/mariadb',
  '@mikro-orm/sqlite': '../../../packages/mikro-orm/node_modules/@mikro-orm/sqlite',
  '@snoflax/core': '../../../packages/core',
  '@snoflax/drizzle': '../../../packages/drizzle',
  '@snoflax/mikro-orm': '../../../packages/mikro-orm',
  '@snoflax/typeorm': '../../../packages/typeorm',
  '@snoflax/kysely': '../../../packages/kysely',
}

function link(folder: string, packages: readonly string[]): void {
  for (const [name, path] of Object.entries(INSTALLED)) {
    const target = join(folder, 'node_modules', name)
    if (!packages.includes(name) || existsSync(target)) continue
    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(at(path), target)
  }
}

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    useDefineForClassFields: false,
  },
})

interface Column {
  readonly name: string
  readonly table: string
  readonly schema?: string
  readonly column: string
  readonly file: string
  readonly line?: number
}

/** What `snoflax adopt code --json` prints. */
export interface Told {
  readonly counts: Readonly<
    Record<'tables' | 'keys' | 'references' | 'adopted' | 'done' | 'kept' | 'left', number>
  >
  readonly adopted: readonly (Column & {
    readonly kind: 'key' | 'reference'
    readonly pattern: string
    readonly text: string
  })[]
  readonly kept: readonly (Column & { readonly reason: string })[]
  readonly left: readonly (Column & { readonly reason: string })[]
  readonly failures: readonly { readonly file: string; readonly reason: string }[]
  readonly stored?: readonly { readonly name: string; readonly rows: number; readonly others: number }[]
  readonly checked: boolean
  readonly missing?: string
  readonly faults: readonly string[]
  readonly written: boolean
  readonly next: readonly string[]
  readonly diff: string
}

type Files = Readonly<Record<string, string>>

/** A folder of an application, until the end of the test file. */
export function project(files: Files, packages: readonly string[] = Object.keys(INSTALLED)): string {
  mkdirSync(root, { recursive: true })
  const folder = mkdtempSync(join(root, 'adopt-code-'))
  folders.push(folder)
  link(folder, packages)
  // Else that of this repository is its own.
  for (const [name, text] of Object.entries({ 'tsconfig.json': TSCONFIG, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Adopts the files of a folder, and returns what the command says. */
export async function adoptIn(folder: string, ...options: readonly string[]) {
  const compared = options.includes('--url') ? [] : ['--unchecked']
  const ran = await cli(['adopt', 'code', folder, '--json', '--write', ...compared, ...options])
  if (ran.code === 2) throw new Error(ran.err)
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  return { ...json<Told>(ran), code: ran.code, folder, read }
}

/** Adopts an application, and returns its first file as it is then. */
export async function adopt(files: Files | string, ...options: readonly string[]) {
  const given = typeof files === 'string' ? { 'schema.ts': files } : files
  const told = await adoptIn(project(given), ...options)
  return { ...told, after: told.read(Object.keys(given)[0] as string) }
}
