import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as core from '@snoflax/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { contextOf } from './docstrings/contexts.js'
import { type Example, examplesBelow, examplesIn } from './docstrings/examples.js'
import { outcomeOf } from './snippets/outcome.js'
import { blocksOf } from './snippets/page.js'
import { typeErrors } from './snippets/type-errors.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const examples = examplesBelow(root)
const ofCore = examples.filter(({ path }) => path.startsWith('packages/core/'))
const labelled = (some: readonly Example[]) => some.map((one) => [`${one.path}:${one.line}`, one] as const)

test('the examples are found, and whole', () => {
  expect(ofCore.length).toBeGreaterThanOrEqual(8)
  expect(examples.length).toBeGreaterThanOrEqual(45)
  for (const { code } of examples) expect(code).not.toContain('…')
})

test('an example is read as editors show it: cut before a decorator that is not in backticks', () => {
  const codeOf = (example: string) =>
    examplesIn('a.ts', `/**\n * @example\n${example}\n */\nexport const a = 1`)[0]?.code
  expect(codeOf(' * class A {\n *   @B() c\n * }')).toBe('class A {')
  expect(codeOf(' * `class A { @B() c }`')).toBe('class A { @B() c }')
})

describe('core', () => {
  test.each(labelled(ofCore))('%s runs, and gives what it tells', async (_, { path, code }) => {
    const program = `${contextOf(path).code}${code}`
    const { contradictions } = await outcomeOf(program, { modules: { '@snoflax/core': core } })
    expect(contradictions).toEqual([])
  })
})

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

describe('every package', () => {
  let errors: readonly string[]
  const pathOf = ({ path, line }: Example) =>
    join(root, contextOf(path).folder, `${path.replaceAll('/', '-')}-${line}.ts`)
  // In a scope of its own, where an example may define what its context has already.
  const programOf = ({ path, code }: Example) =>
    `${contextOf(path).code}\nexport async function example() {\n${code}\n}`

  beforeAll(() => {
    generatePrismaClient()
    errors = typeErrors(new Map(examples.map((example) => [pathOf(example), programOf(example)])))
  })

  test.each(labelled(examples))('%s compiles, against the real ORM', (_, example) => {
    expect(errors.filter((error) => error.startsWith(pathOf(example)))).toEqual([])
  })

  test('nothing else is wrong', () => {
    const paths = examples.map(pathOf)
    expect(errors.filter((error) => !paths.some((path) => error.startsWith(path)))).toEqual([])
  })
})
