import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manifestOf } from '../scripts/packages.js'
import { packAll } from '../scripts/packed.js'
import { at, entryPointsOf, folderOf, packageFolders } from './workspace.js'

const require = createRequire(import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'snoflax-packed-'))
/** A project that has the tarballs installed, and the peers that its owner would have, at the workspace's versions. */
const consumer = join(folder, 'consumer')
let tarballs: ReadonlyMap<string, string>

beforeAll(() => {
  tarballs = packAll(folder)
  mkdirSync(consumer)
  write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  run('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', ...tarballs.values()])
  for (const name of packageFolders) {
    const { peerDependencies = {} } = JSON.parse(readFileSync(at(`${folderOf(name)}/package.json`), 'utf8'))
    const peers = Object.keys(peerDependencies).filter((peer) => !peer.startsWith('@snoflax/'))
    for (const peer of peers) link(peer, at(folderOf(name)))
  }
  for (const name of ['sql.js', '@types/sql.js']) link(name, import.meta.dirname)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(packageFolders)('%s', (name) => {
  test.each(entryPointsOf(name))('%s is the same by import and require, each from its own file', (entry) => {
    const [imported, required, files] = JSON.parse(
      run(process.execPath, [
        '--no-warnings',
        '--input-type=module',
        '--eval',
        `import { createRequire } from 'node:module'
         import { fileURLToPath } from 'node:url'
         const require = createRequire(import.meta.url)
         const names = (all) => Object.keys(all).filter((name) => name !== 'module.exports').sort()
         const files = [fileURLToPath(import.meta.resolve('${entry}')), require.resolve('${entry}')]
         console.log(JSON.stringify([names(await import('${entry}')), names(require('${entry}')), files]))`,
      ]),
    )
    expect(imported.length).toBeGreaterThan(0)
    expect(required).toEqual(imported)
    expect(files[1]).toBe(files[0].replace('/esm/', '/cjs/'))
  })

  test('no published file names the workspace', () => {
    const tarball = tarballs.get(manifestOf(name).name) as string
    const manifest = run('tar', ['xzOf', tarball, 'package/package.json'])
    expect(manifest).not.toContain('workspace:')
    expect(manifest).not.toContain('catalog:')
    const files = run('tar', ['tzf', tarball])
    expect(files).toMatch(/^package\/README\.md$/m)
    expect(files).toMatch(/^package\/LICENSE$/m)
    expect(files).not.toMatch(/tsbuildinfo|\.test\.|node_modules|^package\/src\/|\.map$/m)
  })

  test('an entry is one file, besides what entries share', () => {
    const installed = join(consumer, 'node_modules', manifestOf(name).name)
    const entries = entryPointsOf(name).length
    for (const kind of ['esm', 'cjs']) {
      const files = readdirSync(join(installed, kind), { recursive: true, encoding: 'utf8' })
      const code = files.filter((file) => file.endsWith('.js'))
      expect(code.filter((file) => !file.endsWith('-shared.js'))).toHaveLength(entries)
      if (entries === 1) expect(code).toEqual(['index.js'])
    }
  })
})

describe('a program of one file', () => {
  beforeAll(() => {
    for (const name of ['javascript', 'drizzle'])
      cpSync(join(import.meta.dirname, 'platforms/projects', name), consumer, { recursive: true })
  })

  test.each([
    ['require', ['main.cjs']],
    ['import', ['main.mjs']],
    ['tsx', [require.resolve('tsx/cli'), 'main.ts']],
  ])('%s', (_, parameters) => {
    expect(run(process.execPath, parameters)).toMatch(/^stored, found and refused an id/)
  })
})

describe('in TypeScript', () => {
  const entries = packageFolders.flatMap(entryPointsOf)
  const imports = entries.map((entry, i) => `import * as module${i} from '${entry}'`)
  const used = entries.map((_, i) => `module${i}`)
  const everything = `${imports.join('\n')}\nexport const all = [${used.join(', ')}]\n`

  const NODENEXT = { module: 'nodenext' }
  const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }
  const NODE10 = { module: 'commonjs', moduleResolution: 'node10' }

  beforeAll(() => {
    for (const file of ['all.ts', 'all.cts']) write(file, everything)
  })

  test.each([
    ['5.4', 'nodenext', require('typescript-5.4'), NODENEXT],
    ['5.4', 'bundler', require('typescript-5.4'), BUNDLER],
    ['5.4', 'node10', require('typescript-5.4'), NODE10],
    [ts.version, 'nodenext', ts, NODENEXT],
    [ts.version, 'bundler', ts, BUNDLER],
    [ts.version, 'node10', ts, NODE10],
  ])(
    '%s, %s, accepts every declaration, without those of Node.js and the DOM',
    (_, __, compiler, options) => {
      expect(problemsOf(compiler, options, ['all.ts', 'all.cts'])).toEqual([])
    },
  )

  test('7 accepts them, too', () => {
    const compilerOptions = { ...STRICT, ...NODENEXT, lib: ['es2022'] }
    write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['all.ts', 'all.cts'] }))
    const tsc = join(dirname(require.resolve('typescript-7/package.json')), 'bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '--project', '.'], {
      cwd: consumer,
      encoding: 'utf8',
    })
    expect(
      stdout.split('\n').filter((line) => /^(?:all|tsconfig|error|node_modules.@snoflax)/.test(line)),
    ).toEqual([])
  })

  test('a library can export types that contain ids without annotations', () => {
    write(
      'library.ts',
      `
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
      export class Row { id!: typeof ids.flax }
      export const find = (rows: Repository<Row>) => rows.findBy({ id: createdBetween(Row, 'id', 0, 1) })
    `,
    )
    expect(problemsOf(ts, NODENEXT, ['library.ts'])).toEqual([])
  })

  const STRICT = {
    noEmit: true,
    declaration: true,
    strict: true,
    target: 'es2022',
    types: [],
    skipLibCheck: false,
  }

  /** What the compiler says of the program and of our packages, which it checks among all that they import. */
  function problemsOf(compiler: typeof ts, wanted: object, files: readonly string[]): string[] {
    const json = { ...STRICT, ...wanted, lib: ['es2022'] }
    const { options } = compiler.convertCompilerOptionsFromJson(json, consumer)
    const program = compiler.createProgram(
      files.map((file) => join(consumer, file)),
      options,
    )
    const ours = program
      .getSourceFiles()
      .filter(({ fileName }) => !/node_modules\/(?!@snoflax)/.test(fileName))
    const problems = ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
      ...(file.isDeclarationFile ? [] : program.getDeclarationDiagnostics(file)),
    ])
    return [...program.getOptionsDiagnostics(), ...problems].map(
      ({ file, messageText }) =>
        `${file?.fileName}: ${compiler.flattenDiagnosticMessageText(messageText, '\n')}`,
    )
  }
})

function write(file: string, text: string): void {
  writeFileSync(join(consumer, file), text)
}

function link(name: string, from: string): void {
  const to = join(consumer, 'node_modules', name)
  mkdirSync(dirname(to), { recursive: true })
  rmSync(to, { recursive: true, force: true })
  symlinkSync(join(from, 'node_modules', name), to)
}

/** Standard output; an error with all output where the command fails. */
function run(command: string, parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: consumer, encoding: 'utf8' })
  if (status === 0) return stdout
  throw new Error(`${command} ${parameters[0]} ended with ${status}: ${stdout}${stderr}`)
}
