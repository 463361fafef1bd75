import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { PrismaPg } from '@prisma/adapter-pg'
import type { Database, Place } from './contest.js'

const require = createRequire(import.meta.url)
const GENERATED = fileURLToPath(new URL('../prisma/', import.meta.url))

/** The methods of a model that are measured. */
export interface Delegate {
  create(given: object): Promise<{ readonly id: string }>
  createMany(given: object): Promise<unknown>
  findUnique(given: object): Promise<unknown>
  findMany(given?: object): Promise<readonly { readonly id: string }[]>
}

/** Models by name, beside the client's own functions. */
export type Client = Readonly<Record<string, Delegate>>

interface WholeClient {
  $extends(extension: unknown): WholeClient
  $executeRawUnsafe(sql: string): Promise<unknown>
  $disconnect(): Promise<void>
}

/** One client without extensions, with an extension that does nothing, and with ours. */
export interface Clients {
  readonly plain: Client
  readonly passing: Client
  readonly extended: Client
  close(): Promise<void>
}

const PASSING = {
  query: {
    $allModels: {
      $allOperations: ({ args, query }: { args: unknown; query(args: unknown): unknown }) => query(args),
    },
  },
}

const PROVIDERS: Readonly<Record<Database, string>> = { postgres: 'postgresql', sqlite: 'sqlite' }

/** Clients on a database with existing tables, with the output of `prisma generate` for the models. */
export async function openClients(
  name: string,
  database: Database,
  place: Place,
  models: string,
): Promise<Clients> {
  const folder = generate(`${name}-${database}`, database, models)
  const at = (path: string) => pathToFileURL(join(folder, path)).href
  const { PrismaClient } = (await import(at('client/index.js'))).default
  const { snoflax } = await import(at('snoflax/index.js'))
  const plain = new PrismaClient({ adapter: adapterOf(database, place) }) as WholeClient
  if (database === 'sqlite') await plain.$executeRawUnsafe('PRAGMA synchronous = off')
  return {
    plain: plain as unknown as Client,
    passing: plain.$extends(PASSING) as unknown as Client,
    extended: plain.$extends(snoflax()) as unknown as Client,
    close: () => plain.$disconnect(),
  }
}

const adapterOf = (database: Database, { postgres, sqlite }: Place): object =>
  database === 'postgres'
    ? new PrismaPg({ connectionString: postgres.url })
    : new PrismaBetterSqlite3({ url: `file:${sqlite.file}` })

/** Returns the folder that contains `client` and `snoflax`. */
function generate(name: string, database: Database, models: string): string {
  const folder = join(GENERATED, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'schema.prisma'), `${head(database)}\n${models}`)
  writeFileSync(join(folder, 'prisma.config.ts'), 'export default {}\n')
  const cli = join(dirname(require.resolve('prisma/package.json')), 'build/index.js')
  execFileSync(process.execPath, [cli, 'generate', '--schema', 'schema.prisma'], {
    cwd: folder,
    // Generating needs no schema engine; the variable keeps Prisma from fetching one.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return folder
}

const head = (database: Database): string => `generator client {
  provider = "prisma-client-js"
  output = "./client"
}

generator snoflax {
  provider = "node ${extensionFile('bin/snoflax-prisma-generator.js')}"
  output = "./snoflax"
}

datasource db {
  provider = "${PROVIDERS[database]}"
}
`

const extensionFile = (path: string): string =>
  join(dirname(require.resolve('@snoflax/prisma-extension/package.json')), path)
