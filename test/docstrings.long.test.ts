import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type MysqlDatabase, mysql, type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Example, examplesBelow, examplesIn } from './docstrings/examples.js'
import { type Exported, exportsBelow, exportsOf } from './docstrings/exports.js'
import { folderOf, modulesOf, programOf } from './docstrings/programs.js'
import { outcomeOf } from './snippets/outcome.js'
import { blocksOf } from './snippets/page.js'
import { typeErrors } from './snippets/type-errors.js'
import { entryPointsOf, folderOf as packageFolder, packageFolders } from './workspace.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const examples = examplesBelow(root)
const folders = new Set(examples.map(({ path }) => folderOf(path)))
const labelled = (some: readonly Example[]) => some.map((one) => [`${one.path}:${one.line}`, one] as const)

test('every package has examples, and none is truncated', () => {
  expect(examples.length).toBeGreaterThanOrEqual(80)
  expect([...folders].sort()).toEqual(
    packageFolders.map((name) => folderOf(`${packageFolder(name)}/src/`)).sort(),
  )
  for (const { code } of examples) expect(code).not.toContain('…')
})

test('an example is read as editors show it: truncated before a decorator that is not in backticks', () => {
  const codeOf = (example: string) =>
    examplesIn('a.ts', `/**\n * @example\n${example}\n */\nexport const a = 1`)[0]?.code
  expect(codeOf(' * class A {\n *   @B() c\n * }')).toBe('class A {')
  expect(codeOf(' * `class A { @B() c }`')).toBe('class A { @B() c }')
})

describe('what packages export', () => {
  let exported: readonly Exported[]
  beforeAll(() => {
    exported = exportsBelow(root)
  })
  const namesOf = (wanted: (one: Exported) => boolean) => exported.filter(wanted).map(({ name }) => name)

  test('is found at each entry point', () => {
    const entries = new Set(exported.map(({ name }) => name.split(' ')[0]))
    expect([...entries].sort()).toEqual(packageFolders.flatMap(entryPointsOf).sort())
    expect(namesOf(() => true)).toEqual(
      expect.arrayContaining(['@snoflax/core flax', '@snoflax/drizzle/pg-core createdAfter']),
    )
  })

  test('is listed with the docstrings that are missing', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'docstrings-')), 'index.ts')
    writeFileSync(path, 'export interface A { b: string }\n/** C. @example c */\nexport const c = 1')
    const found = exportsOf(new Map([['package', path]]))
    expect(found).toEqual([
      { name: 'package A', isValue: false, documentation: '', tags: [], silentMembers: ['b'] },
      { name: 'package c', isValue: true, documentation: 'C.', tags: ['example'], silentMembers: [] },
    ])
  })

  test('has an example if it is a function, class or constant', () => {
    expect(namesOf(({ isValue, tags }) => isValue && !tags.includes('example'))).toEqual(WITHOUT_EXAMPLE)
  })

  test('has a docstring', () => {
    const silent = namesOf(({ documentation }) => documentation === '')
    expect(silent).toEqual([])
  })

  test('has a docstring for each member of a type', () => {
    const silent = exported.flatMap(({ name, silentMembers }) =>
      silentMembers.map((member) => `${name}.${member}`),
    )
    expect(silent).toEqual([])
  })
})

const WITHOUT_EXAMPLE = [
  // Talks with `prisma generate` over standard input and error; the package's bin is its one use.
  '@snoflax/prisma-extension/generator runGenerator',
  // What it answers with, for tests that generate in their own process.
  '@snoflax/prisma-extension/generator generator',
]

/** The client of the schema on the package's page, which examples take for granted. */
function generatePrismaClient(): void {
  const inPackage = (path: string) => join(root, 'packages/prisma-extension', path)
  const [schema = ''] = blocksOf(readFileSync(inPackage('README.md'), 'utf8'), 'prisma')
  const generator = JSON.stringify(`node ${inPackage('bin/snoflax-prisma-generator.js')}`)
  const folder = inPackage('.vitest/docstrings')
  mkdirSync(join(folder, 'schema'), { recursive: true })
  writeFileSync(join(folder, 'prisma.config.ts'), 'export default {}\n')
  writeFileSync(join(folder, 'schema/schema.prisma'), schema.replace('"snoflax-prisma-generator"', generator))
  const prisma = inPackage('node_modules/prisma/build/index.js')
  // Generating needs no schema engine; the variable keeps Prisma from fetching one.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' }
  execFileSync(process.execPath, [prisma, 'generate', '--schema', 'schema'], { cwd: folder, env })
}

describe('examples', () => {
  beforeAll(generatePrismaClient)

  describe('compile with the real ORM', () => {
    let errors: readonly string[]
    const pathOf = ({ path, line }: Example) =>
      join(root, folderOf(path), `${path.replaceAll('/', '-')}-${line}.ts`)
    beforeAll(() => {
      errors = typeErrors(new Map(examples.map((example) => [pathOf(example), programOf(example)])))
    })

    test.each(labelled(examples))('%s', (_, example) => {
      expect(errors.filter((error) => error.startsWith(pathOf(example)))).toEqual([])
    })

    test('without other errors', () => {
      const paths = examples.map(pathOf)
      expect(errors.filter((error) => !paths.some((path) => error.startsWith(path)))).toEqual([])
    })
  })

  // Those of MySQL run where there is one; etcd's page has the same, and its own test runs them.
  const runnable = [...folders].filter(
    (folder) => !folder.includes('etcd') && (!folder.includes('mysql-sql') || mysql.selected()),
  )
  describe.each(runnable)('run, with the results that they state: %s', (folder) => {
    const here = examples.filter(({ path }) => folderOf(path) === folder)
    let database: PostgresDatabase | MysqlDatabase
    let modules: Record<string, unknown>
    beforeAll(async () => {
      database = await (folder.includes('mysql-sql') ? mysql : postgres).open()
      modules = await modulesOf(join(root, folder), here.map(programOf))
    })
    afterAll(() => database?.close())
    // The command writes there.
    beforeAll(() => void vi.spyOn(process.stdout, 'write').mockReturnValue(true))
    afterAll(() => vi.restoreAllMocks())

    test.each(labelled(here))('%s', async (_, example) => {
      const globals = { pool: database.pool, url: database.url, process: { exitCode: undefined } }
      const { contradictions } = await outcomeOf(programOf(example), { modules, globals })
      expect(contradictions).toEqual([])
    })
  })
})
