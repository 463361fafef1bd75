import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import ts from 'typescript'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { blocksOf, section } from './snippets/page.js'
import { at, headingOf, ormFolders } from './workspace.js'

const page = (path: string) => readFileSync(at(path), 'utf8')

const LANGUAGES = '(?:ts|prisma|sql)'

// Each package's tests run the blocks of its own page.
describe.each(ormFolders)('the quick start of %s', (folder) => {
  test('is in the README of its package, whose test runs it', () => {
    const shown = blocksOf(section(page('README.md'), headingOf(folder)), LANGUAGES)
    expect(shown.length).toBeGreaterThan(1)
    expect(blocksOf(page(`packages/${folder}/README.md`), LANGUAGES)).toEqual(expect.arrayContaining(shown))
  })
})

describe.each([
  { folder: 'typeorm', tables: '' },
  {
    folder: 'drizzle',
    tables: `
      CREATE TABLE customers (id text COLLATE "C" PRIMARY KEY, name text NOT NULL);
      CREATE TABLE orders (id text COLLATE "C" PRIMARY KEY, customer_id text COLLATE "C" NOT NULL, trace_id text COLLATE "C",
        total integer NOT NULL)`,
  },
  { folder: 'kysely', tables: '' },
])('the quick start of $folder, with the built packages', ({ folder, tables }) => {
  const blocks = blocksOf(section(page('README.md'), headingOf(folder)), 'ts').filter(
    (block) => !block.includes('defineConfig'),
  )
  // What stands in a file of its own.
  const schema = blocks.filter((block) => /^export /m.test(block))
  const program = blocks.filter((block) => !schema.includes(block)).join('\n')
  const isImport = /^import .*$/gm

  let database: PostgresDatabase
  beforeEach(async () => {
    database = await postgres.open()
    if (tables) await database.query(tables)
  })
  afterEach(() => database.close())

  test.each([
    ['an ES module', 'mjs', ts.ModuleKind.ESNext],
    ['CommonJS', 'cjs', ts.ModuleKind.CommonJS],
  ])('runs as %s', (_, extension, module) => {
    // Where imports lead where they do for users.
    const place = at(`packages/${folder}/.vitest/quick-start`)
    mkdirSync(place, { recursive: true })
    const write = (name: string, code: string) => {
      const { outputText } = ts.transpileModule(code.replaceAll('./schema.js', `./schema.${extension}`), {
        compilerOptions: {
          module,
          target: ts.ScriptTarget.ES2022,
          esModuleInterop: true,
          experimentalDecorators: true,
          emitDecoratorMetadata: true,
          useDefineForClassFields: false,
        },
      })
      const path = `${place}/${name}.${extension}`
      writeFileSync(path, outputText)
      return path
    }
    write('schema', schema.join('\n'))
    const main = write(
      'main',
      `${program.match(isImport)?.join('\n')}
      async function main() { ${program.replaceAll(isImport, '')} }
      main().then(() => process.exit())`,
    )
    const { status, stderr } = spawnSync(process.execPath, [main], {
      encoding: 'utf8',
      env: { ...process.env, DATABASE_URL: database.url },
    })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })
})
