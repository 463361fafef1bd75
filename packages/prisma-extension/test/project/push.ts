import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import type { SchemaEngine } from '@prisma/schema-engine-wasm'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import { poolTo } from '@snoflax/test'
import { schemaForEngine } from './version.js'

/** Node's, which its types leave to those of browsers. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>
}

/** The statements that make a project's schema in an empty database: what `prisma db push` would run. */
export const schemaSql = (folder: string, adapter: SqlMigrationAwareDriverAdapterFactory): Promise<string> =>
  diff(
    readdirSync(join(folder, 'schema')).map((path) => ({
      path,
      content: schemaForEngine(readFileSync(join(folder, 'schema', path), 'utf8')),
    })),
    adapter,
    'empty',
  )

/**
 * The statements from an empty database, or from the adapter's, to a schema: what `prisma migrate diff` prints. Tables are
 * external where the project's config says so.
 */
export const changesTo = (
  content: string,
  adapter: SqlMigrationAwareDriverAdapterFactory,
  from: 'empty' | 'database',
  externalTables: string[] = [],
): Promise<string> => diff([{ path: 'schema.prisma', content }], adapter, from, externalTables)

async function diff(
  files: readonly { readonly path: string; readonly content: string }[],
  adapter: SqlMigrationAwareDriverAdapterFactory,
  from: 'empty' | 'database',
  externalTables: string[] = [],
): Promise<string> {
  await loadEngine()
  const datamodels = files.map(({ path, content }): [string, string] => [path, content])
  const running: SchemaEngine = await engine.SchemaEngine.new(
    { datamodels },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(withConstraints(adapter)),
  )
  const { stdout } = await running.diff({
    from: from === 'empty' ? { tag: from } : { tag: 'schemaDatasource', files: [...files], configDir: '' },
    to: { tag: 'schemaDatamodel', files: [...files] },
    script: true,
    exitCode: null,
    filters: { externalTables, externalEnums: [] },
  })
  running.free()
  return stdout ?? ''
}

/** The engine expects a character as the type of a CHECK, and hangs if it is a text, as Prisma's adapter says. */
function withConstraints(
  factory: SqlMigrationAwareDriverAdapterFactory,
): SqlMigrationAwareDriverAdapterFactory {
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    const queryRaw = adapter.queryRaw.bind(adapter)
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query)
      const at = result.columnNames.indexOf('constraint_type')
      if (at >= 0) result.columnTypes[at] = ColumnTypeEnum.Character
      return result
    }
    return adapter
  }
  return factory
}

let loaded: Promise<void> | undefined

/** Node can't import WebAssembly by itself yet. */
function loadEngine(): Promise<void> {
  loaded ??= instantiate()
  return loaded
}

async function instantiate(): Promise<void> {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')
  const bytes = readFileSync(entry.replace(/\.js$/, '_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': engine,
  })
  const { __wbindgen_start: start } = instance.exports
  engine.__wbg_set_wasm(instance.exports)
  ;(start as () => void)()
}

const CHAR = 18
const TEXT = 25

/** A pool that names the catalog's own type "char", which Prisma's engine asks for and its adapter does not know. */
export function describingPool(url: string): ReturnType<typeof poolTo> {
  const pool = poolTo(url)
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<QueryResult>
  const named = async (...args: unknown[]): Promise<QueryResult> => {
    const result = await query(...args)
    for (const field of result.fields) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT
    return result
  }
  return Object.assign(pool, { query: named })
}

interface QueryResult {
  readonly fields: { dataTypeID: number }[]
}
