import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { IdStorage } from '@snoflax/core'
import { isAccepting, ownOf } from '@snoflax/core/adapter'
import { UsageError } from '../exit.js'
import type { StatedColumn } from './id-columns.js'

interface Declaration {
  readonly schema?: string | null | undefined
  readonly table: string
  readonly column: string
  readonly storage: IdStorage<string>
  readonly isPrimary?: boolean
}

/** Reads the id columns that a module or a schema of an ORM declares, without connecting to a database. */
const READERS: Readonly<Record<Orm, (file: string) => Promise<Declaration[]>>> = {
  typeorm: async (file) => {
    const found: Declaration[] = []
    for (const source of exportsOf(await load(file)).filter(isDataSource)) {
      if (source.entityMetadatas.length === 0) await source.buildMetadatas()
      for (const { schema, tableName: table, columns } of source.entityMetadatas) {
        for (const { databaseName: column, isPrimary, [TYPEORM]: ids } of columns) {
          if (ids) found.push({ schema, table, column, storage: ids.storage, isPrimary })
        }
      }
    }
    return found
  },
  drizzle: async (file) =>
    exportsOf(await load(file)).flatMap((table) => {
      const { [COLUMNS]: columns = {}, [SCHEMA]: schema, [NAME]: name } = table as DrizzleTable
      return Object.values(columns).flatMap((column) => {
        const ids = column[IDS]
        return ids
          ? [{ schema, table: name, column: column.name, storage: ids.storage, isPrimary: column.primary }]
          : []
      })
    }),
  kysely: async (file) =>
    exportsOf(await load(file)).flatMap((plugin) => {
      const { declared } = plugin as Partial<KyselyPlugin>
      if (!(declared instanceof Map)) return []
      return [...declared.values()].map(({ table: path, name: column, storage }) => {
        const [table = '', schema] = path.split('.').reverse()
        return { schema, table, column, storage }
      })
    }),
  prisma: readPrisma,
}

export type Orm = 'typeorm' | 'prisma' | 'drizzle' | 'kysely'

const WANTED: Readonly<Record<Orm, string>> = {
  typeorm: 'a module that exports a DataSource with id columns',
  drizzle: 'a module that exports tables with id columns',
  kysely: 'a module that exports an idPlugin',
  prisma: 'a Prisma schema with a generator of @snoflax/prisma-extension that has run',
}

/** The id columns that an ORM declares. @throws {UsageError} if there are none. */
export async function declaredIn(orm: Orm, file: string): Promise<StatedColumn[]> {
  const declared = await READERS[orm](resolve(file))
  if (declared.length === 0) throw new UsageError(`--${orm} ${file}: no id column found; pass ${WANTED[orm]}`)
  const stated = declared.map(({ schema, table, column, storage, isPrimary = false }) => ({
    place: [...(schema && schema !== 'public' ? [schema] : []), table, column].join('.'),
    family: ownOf(storage.family),
    ...(isAccepting(storage.family) && { accepting: storage.family }),
    storage: storage.name,
    isPrimary,
  }))
  // A module may export the same in several ways.
  return [...new Map(stated.reverse().map((one) => [one.place, one])).values()].reverse()
}

/** A registered symbol, the same in all copies of @snoflax/typeorm. */
const TYPEORM: unique symbol = Symbol.for('@snoflax/typeorm id column') as never
const IDS: unique symbol = Symbol.for('snoflax.drizzle.ids') as never
const NAME: unique symbol = Symbol.for('drizzle:Name') as never
const SCHEMA: unique symbol = Symbol.for('drizzle:Schema') as never
const COLUMNS: unique symbol = Symbol.for('drizzle:Columns') as never

interface Ids {
  readonly storage: IdStorage<string>
}

interface TypeormSource {
  readonly entityMetadatas: readonly {
    readonly schema?: string
    readonly tableName: string
    readonly columns: readonly {
      readonly databaseName: string
      readonly isPrimary: boolean
      readonly [TYPEORM]?: Ids
    }[]
  }[]
  buildMetadatas(): Promise<void>
}

interface DrizzleTable {
  readonly [NAME]: string
  readonly [SCHEMA]?: string
  readonly [COLUMNS]?: Readonly<
    Record<string, { readonly name: string; readonly primary: boolean; readonly [IDS]?: Ids }>
  >
}

interface KyselyPlugin {
  readonly declared: ReadonlyMap<string, Ids & { readonly table: string; readonly name: string }>
}

const isDataSource = (one: unknown): one is TypeormSource =>
  typeof (one as Partial<TypeormSource> | null)?.buildMetadatas === 'function'

type Module = Readonly<Record<string, unknown>>

/** The exports of a module, including those of `export default` and `module.exports`. */
function exportsOf(module: Module): object[] {
  const found = new Set<unknown>()
  for (const value of Object.values(module)) {
    found.add(value)
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      for (const inner of Object.values(value)) found.add(inner)
  }
  return [...found].filter((one): one is object => one !== null && typeof one === 'object')
}

async function load(file: string): Promise<Module> {
  if (!existsSync(file)) throw new UsageError(`${file}: no such file`)
  try {
    return (await import(pathToFileURL(file).href)) as Module
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
      throw new UsageError(
        `${file}: this Node can't load it; pass the compiled file, or run the command with a loader: NODE_OPTIONS="--import tsx" npx snoflax doctor …`,
      )
    }
    throw new UsageError(`${file} can't be loaded: ${message}`)
  }
}

interface PrismaConfiguration {
  readonly models: Readonly<
    Record<string, Readonly<Record<string, { readonly family: never; readonly storage: never }>>>
  >
}

/** Families come from the generated module, names of tables and columns from the schema. */
async function readPrisma(file: string): Promise<Declaration[]> {
  if (!existsSync(file)) throw new UsageError(`${file}: no such file`)
  const isFolder = (await stat(file)).isDirectory()
  const files = isFolder
    ? (await readdir(file)).filter((name) => name.endsWith('.prisma')).map((name) => join(file, name))
    : [file]
  const texts = await Promise.all(files.map((one) => readFile(one, 'utf8')))
  const blocks = texts.flatMap((text) => [...text.matchAll(BLOCK)])
  const generator = blocks.find(
    ([, kind, , body]) => kind === 'generator' && /provider\s*=.*snoflax/.test(body as string),
  )
  const [, output = '../generated/snoflax'] =
    /^[ \t]*output[ \t]*=[ \t]*"([^"]+)"/m.exec(generator?.[3] ?? '') ?? []
  const folder = resolve(isFolder ? file : dirname(file), output)
  const module = ['index.js', 'index.ts'].map((name) => join(folder, name)).find(existsSync)
  if (generator === undefined || module === undefined) return []
  const { configuration } = (await load(module)) as unknown as { configuration: PrismaConfiguration }
  return Object.entries(configuration.models).flatMap(([model, fields]) => {
    const body = blocks.find(
      ([, kind, name = '']) => kind === 'model' && name.toLowerCase() === model.toLowerCase(),
    )?.[3]
    if (body === undefined) return []
    const [, table = model] = /@@map\(\s*(?:name:\s*)?"([^"]+)"/.exec(body) ?? []
    const [, schema] = /@@schema\(\s*(?:map:\s*)?"([^"]+)"/.exec(body) ?? []
    return Object.entries(fields).map(([field, { family, storage }]) => {
      const line = new RegExp(`^[ \\t]*${field}[ \\t].*$`, 'm').exec(body)?.[0] ?? ''
      const [, column = field] = /@map\(\s*(?:name:\s*)?"([^"]+)"/.exec(line) ?? []
      return {
        schema,
        table,
        column,
        storage: { family, name: storage } as never,
        isPrimary: /\s@id\b/.test(line),
      }
    })
  })
}

/** The blocks of a schema. Their closing brace is at the start of a line. */
const BLOCK = /^[ \t]*(model|generator)\s+(\w+)\s*\{([\s\S]*?)^[ \t]*\}/gm
