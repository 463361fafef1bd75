import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { flax, type Id, prefixed, type SnoId, sno } from '@snoflax/core'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import type { Pool } from 'pg'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { z } from 'zod'
import { postgresStatements } from './generated-sql.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const PACKAGE = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const blocksOf = (text: string) =>
  [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code as string)
const [before = '', below = ''] = README.split('\n## Drizzle 1.0\n')
const [NEXT = '', ...after] = below.split(/^(?=## )/m)
const blocks = blocksOf(before + after.join(''))

/** Those that define tables, so that the tables can be made before the others run. */
const definitions = blocks.filter((block) => block.includes('export const '))
const uses = blocks.filter((block) => !definitions.includes(block))

/** What the snippets made. */
interface Seen {
  readonly db: { readonly $client: Pool }
  readonly ada: { readonly id: Id<'cus'> }
  readonly found: readonly { readonly orders: readonly { readonly id: SnoId }[] }[]
  readonly november: readonly { readonly createdAt: Date }[]
  readonly newest: readonly Order[]
  readonly ids: readonly SnoId[]
  readonly newOrder: z.ZodType
  readonly parameters: z.ZodType
}

interface Order {
  readonly id: SnoId
  readonly customerId: Id<'cus'>
}

// Below this folder, so that bare imports lead where they do for users.
const folder = mkdtempSync(fileURLToPath(new URL('.readme-', import.meta.url)))
let database: PostgresDatabase
let seen: Seen

function written(name: string, ...code: string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${code.join('\n')}\n`)
  return path
}

beforeAll(async () => {
  database = await postgres.open()
  await install(database.pool)
  const schema = await import(written('schema.ts', ...definitions))
  for (const statement of await postgresStatements(schema)) await database.query(statement)
  const imports = uses.flatMap((block) => block.match(/^import .*$/gm) ?? [])
  const imported: readonly string[] = imports.join('\n').match(/\w+/g) ?? []
  const others = Object.keys(schema).filter((name) => !imported.includes(name))
  const program = written(
    'program.ts',
    `import { ${others.join(', ')} } from './schema.js'`,
    'export async function run() {',
    ...uses.map((block) => block.replaceAll(/^import .*$/gm, '')),
    'return { db, ada, found, november, page, newest, ids, newOrder, parameters } }',
    ...imports,
  )
  vi.stubEnv('DATABASE_URL', database.url)
  const { run } = await import(program)
  seen = await run()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
  await seen?.db.$client.end()
  await database.close()
})

describe('the programs of the README, in order', () => {
  test('are found', () => {
    expect(definitions.length).toBeGreaterThanOrEqual(2)
    expect(uses.length).toBeGreaterThanOrEqual(4)
  })

  test('compile, for users of the built package', () => {
    const options: ts.CompilerOptions = {
      // As `tsc --init` sets them.
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
    }
    const compiled = ts.createProgram([join(folder, 'program.ts')], options)
    const messages = ts.getPreEmitDiagnostics(compiled).map(({ messageText }) => messageText)
    expect(messages).toEqual([])
  })

  test('for Drizzle 1.0 are those that `tsc -b` compiles with it', () => {
    const compiled = readFileSync(new URL('next/readme.ts', import.meta.url), 'utf8')
    const programs = blocksOf(NEXT)
    expect(programs).toHaveLength(1)
    for (const program of programs) expect(compiled).toContain(program)
  })

  test('insert and select', () => {
    const { ada, found } = seen
    expect(prefixed(flax, 'cus').is(ada.id)).toBe(true)
    expect(found).toMatchObject([{ ...ada, orders: [{ customerId: ada.id }, {}, {}] }])
    for (const { id } of found[0]?.orders ?? []) expect(sno.meta(id)).toBe(2)
  })

  test('find by time, and page by page', () => {
    const { newest, november } = seen
    expect(newest).toHaveLength(3)
    const times = newest.map(({ id }) => sno.time(id))
    expect(times).toEqual([...times].sort((a, b) => Number(b) - Number(a)))
    const inNovember = times.filter((time) => time.toISOString().startsWith('2026-11'))
    expect(november.map(({ createdAt }) => createdAt)).toEqual(inNovember)
  })

  test('run raw queries', () => {
    const { newest, ids } = seen
    expect(ids).toEqual([newest[0]?.id])
  })

  test('validate with zod', () => {
    const { newOrder, parameters, ada, newest } = seen
    expect(newOrder.safeParse({ customerId: ada.id, total: 3 }).success).toBe(true)
    expect(newOrder.safeParse({ customerId: 'wrong', total: 3 }).success).toBe(false)
    expect(parameters.safeParse({ orderId: newest[0]?.id }).success).toBe(true)
  })

  test('have the default and the error that the README states', async () => {
    const [row] = await database.query(
      `SELECT pg_get_expr(adbin, adrelid) AS made FROM pg_attrdef WHERE adrelid = 'events'::regclass`,
    )
    expect(row).toEqual({ made: 'snoflax.flax_generate_text()' })
    const schema = await import(join(folder, 'schema.ts'))
    expect(() => schema.orders.traceId.mapToDriverValue('wrong')).toThrow(
      'orders.trace_id: sno: an id has 16 characters, not 5 ("wrong")',
    )
  })
})

describe('what the README names', () => {
  test('is exported', async () => {
    const entries = await Promise.all([
      import('@snoflax/drizzle/pg-core'),
      import('@snoflax/drizzle/sqlite-core'),
      import('@snoflax/drizzle/mysql-core'),
      import('@snoflax/drizzle/zod'),
    ])
    const exported = new Set(entries.flatMap((entry) => Object.keys(entry)))
    const named = [...README.matchAll(/`(\w+)\((?:column|family)/g)].map(([, name]) => name as string)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !exported.has(name))).toEqual([])
  })

  test('can be imported from the package', () => {
    for (const [, path] of README.matchAll(/@snoflax\/drizzle(\/[\w-]+)/g)) {
      expect(PACKAGE.exports).toHaveProperty([`.${path}`])
    }
  })
})
