import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushSchema, runCollations } from './project/clients.js'
import { diagnosticsOf } from './project/compile.js'
import { generateProject, PROVIDER, type ProjectFiles } from './project/generate.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const PACKAGE = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const blocks = (language: string): string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code]) => code as string,
  )

const NAME = 'snoflax-prisma-generator'

/** The page's schema, and its code as one module after another block: imports first. */
function project(): ProjectFiles {
  const schema = blocks('prisma').join('\n')
  return { 'schema/schema.prisma': schema.replace(`"${NAME}"`, JSON.stringify(PROVIDER)) }
}

function program(): string {
  const code = blocks('ts')
  const lines = code.join('\n').split('\n')
  const isImport = (line: string) => line.startsWith('import ')
  // The client is TypeScript here, as it is for those who compile it.
  const imports = lines.filter(isImport).map((line) => line.replace(/(generated\/.*)\.js'/, "$1.ts'"))
  const body = lines.filter((line) => !isImport(line))
  return [
    ...imports,
    'export async function run() {',
    ...body,
    'return { prisma, ada, found, customer, createContext, month, newest, first, next, orders }',
    '}',
  ].join('\n')
}

let database: PostgresDatabase
let folder: string
beforeAll(async () => {
  database = await postgres.open()
  process.env['DATABASE_URL'] = database.url
  folder = await generateProject(project())
  await pushSchema(folder, database)
  await runCollations(folder, database)
})
afterAll(() => database?.close())

test("the README names the generator's program", () => {
  expect(Object.keys(PACKAGE.bin)).toEqual([NAME])
  expect(README).toContain(`provider = "${NAME}"`)
})

test('the code of the README compiles', () => {
  writeFileSync(join(folder, 'readme.ts'), program())
  expect(diagnosticsOf(join(folder, 'readme.ts'))).toEqual([])
})

test('the code of the README runs, with the results it states', async () => {
  writeFileSync(join(folder, 'readme.ts'), program())
  const { run } = await import(join(folder, 'readme.ts'))
  const { prisma, ada, found, customer, createContext, newest, first, next, orders } = await run()
  expect(found).toMatchObject({
    model: 'Customer',
    column: 'id',
    row: { name: 'Ada' },
    also: [],
    hasMore: false,
  })
  expect(customer).toEqual(found.row)
  expect(createContext().prisma).toBe(prisma)
  expect(ada.orders).toHaveLength(2)
  expect(orders.map((order: { total: number }) => order.total).sort()).toEqual([3, 5, 7])
  expect(newest).toHaveLength(3)
  expect([...first, ...next].map((order: { id: string }) => order.id)).toEqual(
    orders.map((order: { id: string }) => order.id).sort(),
  )
  expect(await prisma.customer.count()).toBe(1)
  await prisma.$disconnect()
})

test('each option that the README lists exists', async () => {
  const options = [...README.matchAll(/^\| `(\w+)[=`]/gm)].map(([, name]) => name)
  expect([...new Set(options)].filter((name) => /^[a-z]/.test(name as string))).toEqual([
    'storage',
    'meta',
    'prefix',
    'createdAt',
    'pattern',
    'generate',
    'accept',
    'onMismatch',
    'branded',
    'collation',
  ])
})
