import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { at, folderOf, packageFolders } from './workspace.js'

interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  types: [],
  module: ts.ModuleKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(at(`${folderOf(folder)}/package.json`), 'utf8'))

/** How versions of a library are installed beside the newest: @prisma/client 7.0 as prisma-client-7.0. */
const aliasesOf = (library: string): RegExp =>
  new RegExp(`^(${library}|${library.replace(/^@prisma\//, 'prisma-')})-\\d`)

/** A package with each version of a library that is installed for it, under the name that it has there. */
const versions = packageFolders.flatMap((folder) => {
  const { peerDependencies = {}, devDependencies = {} } = manifestOf(folder)
  const others = Object.keys(peerDependencies).flatMap((library) =>
    Object.keys(devDependencies)
      .filter((name) => aliasesOf(library).test(name))
      .map((installed) => ({ folder, library, installed })),
  )
  return [{ folder, library: '', installed: 'the newest versions' }, ...others]
})

const declarationsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.d\.m?ts$/.test(file))
    .map((file) => join(folder, file))

/** Files are parsed once for all versions. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/** The errors in the package's own declarations, of ES modules and CommonJS; those in a library's own are its own. */
function errorsIn(folder: string, library: string, installed: string): string[] {
  // CommonJS takes Drizzle's types 10 s more, and is the same for each version of it.
  const formats = library === 'drizzle-orm' ? ['dist'] : ['dist', 'cjs']
  // Both formats of core share theirs.
  const built = folder === 'core' ? ['types'] : formats
  const ours = built.flatMap((name) => declarationsIn(at(`${folderOf(folder)}/${name}`)))
  const host = ts.createCompilerHost(OPTIONS)
  const { getSourceFile } = host
  host.getSourceFile = (file, options, ...rest) => {
    const format = typeof options === 'object' ? options.impliedNodeFormat : undefined
    const key = `${file} ${format}`
    if (!parsed.has(key)) parsed.set(key, getSourceFile.call(host, file, options, ...rest))
    return parsed.get(key)
  }
  const own = at(`${folderOf(folder)}/`)
  host.resolveModuleNameLiterals = (literals, file, redirect, options, source) =>
    literals.map((literal) => {
      const { text } = literal
      const isTheirs = file.startsWith(own) && (text === library || text.startsWith(`${library}/`))
      const name = isTheirs ? text.replace(library, installed) : text
      const mode = ts.getModeForUsageLocation(source, literal, options)
      return ts.resolveModuleName(name, file, options, host, undefined, redirect, mode)
    })
  const program = ts.createProgram(ours, OPTIONS, host)
  return ours.flatMap((file) => {
    const source = program.getSourceFile(file)
    const { fileName = file } = source ?? {}
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ code, messageText }) =>
        `${fileName.slice(own.length)}: TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    )
  })
}

describe('declarations compile without skipLibCheck', () => {
  test.each(versions)('$folder with $installed', ({ folder, library, installed }) => {
    expect(errorsIn(folder, library, installed)).toEqual([])
  })

  test('with each version of an ORM that the matrix runs', () => {
    const matrix = readFileSync(at('scripts/orm-matrix.js'), 'utf8')
    const wanted = [...matrix.matchAll(/project: '([\w-]+)'[^}]*?versions: \[([^\]]*)\]/g)].flatMap(
      ([, folder, list]) =>
        [...(list as string).matchAll(/'([^']+)'/g)].map(([, version]) => `${folder} ${version}`),
    )
    expect(wanted.length).toBeGreaterThan(5)
    const compiled = versions.map(({ folder, installed }) => `${folder} ${/[\d.]+$/.exec(installed)?.[0]}`)
    expect(wanted.filter((one) => !compiled.includes(one))).toEqual([])
  })
})

/** Values that an application may export. */
const EXPORTED = `
import { accepting, columnFor, fixedId, flake, flax, opaque, prefixed, registry, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import * as light from '@snoflax/core/light'
export const org = opaque('org', { pattern: /y/, generate: () => 'y' })
export const old = accepting(uuid7, [ulid, org])
export const customer = typeid('cus')
export const [suffix, customers] = [customer.base, customer.generator()]
export const order = prefixed(sno, 'ord')
export const orders = order.generator({ partition: 1 })
export const ids = registry({ old, customer, order })
export const [found, inText] = [ids.parse('x'), ids.idsIn('x')]
export const fields = [flax.layout.fields, sno.parse('x'), flake.unpack('1' as never), uuid7.unpack('1' as never)]
export const [one, column] = [fixedId(order, 'a'), columnFor(order, 'postgres')]
export const page = column.keyset({ take: 9 })
export const lights = [light.prefixed(light.flax, 'cus'), light.typeid('cus')]`

test('the types of values that an application exports have names, so that it can emit declarations', () => {
  const file = at('packages/core/test/exported.ts')
  const options = { ...OPTIONS, noEmit: false, declaration: true, emitDeclarationOnly: true }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (path) => path === file || fileExists(path)
  host.getSourceFile = (path, target, ...rest) =>
    path === file
      ? ts.createSourceFile(path, EXPORTED, target)
      : getSourceFile.call(host, path, target, ...rest)
  let emitted = ''
  host.writeFile = (path, text) => {
    if (path.endsWith('/exported.d.ts')) emitted = text
  }
  const program = ts.createProgram([file], options, host)
  const { diagnostics } = program.emit(program.getSourceFile(file))
  expect(
    [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) => messageText),
  ).toEqual([])
  expect(emitted).toContain('const orders: import("@snoflax/core").PrefixedGenerator<')
  expect(emitted).not.toContain('types/')
})
