import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entriesOf, installConsumer, packAll, packages, run, temporaryFolder } from './packaging/packed.js'

const temporary = temporaryFolder()
const consumer = join(temporary.folder, 'consumer')
let tarballs: ReadonlyMap<string, string>

beforeAll(() => {
  tarballs = packAll(temporary.folder)
  installConsumer(consumer, tarballs)
}, 300_000)
afterAll(() => temporary.remove())

const tarballOf = (name: string) => tarballs.get(name) as string

describe.each(packages.map((one) => [one.manifest.name, one] as const))('%s', (name, one) => {
  test('publint has nothing to say', async () => {
    const tarball = Uint8Array.from(readFileSync(tarballOf(name))).buffer
    const { messages, pkg } = await publint({ strict: true, pack: { tarball } })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  test('types resolve as the code does', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarballOf(name))))
    if (!analysis.types) return expect.fail('no types')
    // Node 20.19 and newer can require() an ES module; older module resolution does not know "exports".
    const problems = analysis.problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' &&
        !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    )
    expect(problems).toEqual([])
  })

  test.each(entriesOf(one))('%s is the same imported and required', (entry) => {
    const imported = namesOf(`import * as all from '${entry}'`)
    expect(imported.length).toBeGreaterThan(0)
    expect(
      namesOf(`import { createRequire } from 'node:module'
      const all = createRequire(import.meta.url)('${entry}')`),
    ).toEqual(imported)
  })

  test('nothing that is shipped names the workspace', () => {
    const manifest = run(temporary.folder, 'tar', ['xzOf', tarballOf(name), 'package/package.json'])
    expect(manifest).not.toContain('workspace:')
    expect(manifest).not.toContain('catalog:')
    const files = run(temporary.folder, 'tar', ['tzf', tarballOf(name)])
    expect(files).toMatch(/^package\/README\.md$/m)
    expect(files).toMatch(/^package\/LICENSE$/m)
    expect(files).not.toMatch(/tsbuildinfo|\.test\.|node_modules/)
  })
})

describe('in TypeScript', () => {
  test('a program compiles against what is shipped', () => {
    const entries = packages.flatMap(entriesOf)
    const imports = entries.map((entry, i) => `import * as module${i} from '${entry}'`)
    const used = entries.map((_, i) => `module${i}`)
    expect(compile(`${imports.join('\n')}\nexport const all = [${used.join(', ')}]\n`)).toBe('')
  })

  test('a library can export what has ids in its type, told by nobody', () => {
    const library = `
      import { flax, sno } from '@snoflax/core'
      import { snoId, keyset } from '@snoflax/drizzle/pg-core'
      import { createdBetween } from '@snoflax/typeorm'
      import { drizzle } from 'drizzle-orm/node-postgres'
      import { pgTable, pgView } from 'drizzle-orm/pg-core'
      import type { Repository } from 'typeorm'

      export const orders = pgTable('orders', { id: snoId().primaryKey() })
      export const recent = pgView('recent').as((query) => query.select().from(orders))
      const db = drizzle('')
      export const all = () => db.select().from(orders)
      export const add = () => db.insert(orders).values({}).returning()
      export const page = keyset(orders.id)
      export const ids = { flax: flax.generate(), sno: sno.range(0, 1) }
      export const find = (rows: Repository<{ id: typeof ids.flax }>) =>
        rows.findBy({ id: createdBetween(flax, 0, 1) })
    `
    expect(compile(library)).toBe('')
  })

  /** What the compiler says to it, in a project that has declarations made. */
  function compile(program: string): string {
    const compilerOptions = {
      noEmit: true,
      declaration: true,
      strict: true,
      target: 'es2022',
      module: 'nodenext',
      skipLibCheck: true,
      types: [],
    }
    writeFileSync(join(consumer, 'program.ts'), program)
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const tsc = join(import.meta.dirname, '../node_modules/typescript/bin/tsc')
    return run(consumer, process.execPath, [tsc, '--project', '.'])
  }
}, 120_000)

const namesOf = (statement: string): string[] => {
  const program = `${statement}
    console.log(JSON.stringify(Object.keys(all).filter((name) => name !== 'module.exports').sort()))`
  return JSON.parse(
    run(consumer, process.execPath, ['--no-warnings', '--input-type=module', '--eval', program]),
  ) as string[]
}
