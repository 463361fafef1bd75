import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { PrismaPg } from '@prisma/adapter-pg'
import type { Database, Key, Model, Orm, Place, Row } from './contest.js'

const require = createRequire(import.meta.url)
const GENERATED = fileURLToPath(new URL('../prisma/', import.meta.url))

const PROVIDERS = { postgres: 'postgresql', sqlite: 'sqlite' } as const
const KEY_TYPES = { postgres: '@db.Uuid', sqlite: '' } as const

/** A model for each key, in tables that are there already. */
function schema(database: Database): string {
  const model = (name: string, id: string) =>
    `model ${name} {\n  id ${id}\n  name String\n  total Int\n  @@map("race_${name.toLowerCase()}")\n}\n`
  const ours = `String @id @default(dbgenerated()) ${KEY_TYPES[database]}`
  return [
    'generator client {\n  provider = "prisma-client-js"\n  output = "./client"\n}\n',
    `generator snoflax {\n  provider = "node ${generator()}"\n  output = "./snoflax"\n}\n`,
    `datasource db {\n  provider = "${PROVIDERS[database]}"\n}\n`,
    model('Flax', `${ours} /// @snoflax flax`),
    model('Sno', `${ours} /// @snoflax sno`),
    model('Uuid', `String @id ${KEY_TYPES[database]}`),
  ].join('\n')
}

const generator = () =>
  join(dirname(require.resolve('@snoflax/prisma-extension/package.json')), 'bin/snoflax-prisma-generator.js')

interface Delegate {
  createMany(given: { data: readonly object[] }): Promise<unknown>
  create(given: { data: object }): Promise<unknown>
}

type Client = Readonly<Record<Key, Delegate>> & {
  $extends(extension: unknown): Client
  $executeRawUnsafe(sql: string): Promise<unknown>
  $disconnect(): Promise<void>
}

/** A client without the extension, for the UUIDs, and the same with it, for ours. */
interface Clients {
  readonly plain: Client
  readonly extended: Client
}

/** The client and the extension that `prisma generate` writes for the database. */
async function openClients(database: Database, adapter: object): Promise<Clients> {
  const folder = join(GENERATED, database)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'schema.prisma'), schema(database))
  writeFileSync(join(folder, 'prisma.config.ts'), 'export default {}\n')
  const cli = join(dirname(require.resolve('prisma/package.json')), 'build/index.js')
  execFileSync(process.execPath, [cli, 'generate', '--schema', 'schema.prisma'], {
    cwd: folder,
    // Generating needs no schema engine; the variable keeps Prisma from fetching one.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const at = (path: string) => pathToFileURL(join(folder, path)).href
  const { PrismaClient } = (await import(at('client/index.js'))).default
  const { snoflax } = await import(at('snoflax/index.js'))
  const plain = new PrismaClient({ adapter }) as Client
  return { plain, extended: plain.$extends(snoflax()) }
}

export async function openPrisma({ postgres, sqlite }: Place): Promise<Orm> {
  const clients = {
    postgres: await openClients('postgres', new PrismaPg({ connectionString: postgres.url })),
    sqlite: await openClients('sqlite', new PrismaBetterSqlite3({ url: `file:${sqlite.file}` })),
  }
  await clients.sqlite.plain.$executeRawUnsafe('PRAGMA synchronous = off')
  const modelsOf = ({ plain, extended }: Clients) => ({
    flax: model(extended.flax, (row) => row),
    sno: model(extended.sno, (row) => row),
    uuid: model(plain.uuid, (row) => ({ id: randomUUID(), ...row })),
  })
  return {
    models: { postgres: modelsOf(clients.postgres), sqlite: modelsOf(clients.sqlite) },
    close: async () => {
      await Promise.all([clients.postgres.plain.$disconnect(), clients.sqlite.plain.$disconnect()])
    },
  }
}

function model(delegate: Delegate, toData: (row: Row) => object): Model {
  return {
    insertMany: (rows) => delegate.createMany({ data: rows.map(toData) }),
    insertOne: (row) => delegate.create({ data: toData(row) }),
  }
}
