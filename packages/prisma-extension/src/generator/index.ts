import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { GeneratorOptions } from '@prisma/generator-helper'
import { IdError } from '@snoflax/core'
import { type Brands, typeClient } from './client-types.js'
import { collationSql } from './collation.js'
import { refuseHidden } from './comment.js'
import { loadFamilies } from './families.js'
import { findIds, type SchemaIds } from './id-fields.js'
import { type Language, MARK, moduleFiles } from './module.js'
import { databaseOf, Mistakes, viewsOf } from './schema.js'

// CommonJS whose names an ES module cannot see, and whose default a CommonJS module cannot.
const helper: typeof import('@prisma/generator-helper') = createRequire(import.meta.url)(
  '@prisma/generator-helper',
)

/** The handlers that `prisma generate` calls. */
export const generator = {
  name: 'snoflax-prisma-generator',
  getManifest: async () => ({ prettyName: 'snoflax ids', defaultOutput: '../generated/snoflax' }),
  generate,
}

/** Serves `prisma generate` over standard input and error. */
export function runGenerator(): void {
  helper.generatorHandler({ onManifest: generator.getManifest, onGenerate: generate })
}

/**
 * Writes the module for a schema.
 *
 * @throws {IdError} `INVALID_OPTION` that lists every mistake, with model and field.
 */
async function generate(options: GeneratorOptions): Promise<void> {
  const { generator } = options
  const folder = generator.output?.value
  if (!folder)
    throw new IdError('INVALID_OPTION', 'output: missing; set the folder for the module', { field: 'output' })
  const brands: Brands = optionOf(generator, 'brands', ['strict', 'results']) ?? 'results'
  const schema = await readSchema(options)
  for (const client of clientsOf(options)) await typeClient(client, schema, options.dmmf, brands)
  const language = languageOf(options)
  const collations = collationSql(schema)
  await writeFiles(folder, {
    ...moduleFiles(schema, folder, language),
    ...(collations && { 'collation.sql': collations }),
  })
}

async function readSchema({ generator, datasources, datamodel, dmmf }: GeneratorOptions): Promise<SchemaIds> {
  const database = databaseOf(datasources[0]?.provider ?? '')
  const schema = { database, models: dmmf.datamodel.models, views: viewsOf(dmmf) }
  const modules = [generator.config['families'] ?? []].flat()
  const findFamily = await loadFamilies(modules, generator.sourceFilePath)
  const mistakes = new Mistakes()
  refuseHidden(datamodel, mistakes)
  const branded = optionOf(generator, 'branded', ['true', 'false'], 'true or false') !== 'false'
  const ids = findIds(schema, findFamily, branded, mistakes)
  mistakes.raise()
  return ids
}

/** An option of the generator that is one of these texts. */
function optionOf<Value extends string>(
  { config }: GeneratorOptions['generator'],
  name: string,
  values: readonly Value[],
  rule = values.map((value) => `"${value}"`).join(' or '),
): Value | undefined {
  const passed = config[name]
  const found = values.find((value) => value === passed)
  if (passed === undefined || found !== undefined) return found
  throw new IdError('INVALID_OPTION', `${name}: must be ${rule}, not ${JSON.stringify(passed)}`, {
    field: name,
    value: passed,
  })
}

/**
 * Folders of the clients that this run of `prisma generate` has written.
 *
 * @throws {IdError} `INVALID_OPTION` if there is none, and for one that is generated later: it would have no ids.
 */
function clientsOf({ generator, otherGenerators, datamodel }: GeneratorOptions): string[] {
  const clients = otherGenerators.filter(({ provider }) =>
    /^prisma-client(?:-js)?$/.test(provider.value ?? ''),
  )
  const names = [...datamodel.matchAll(/^[ \t]*generator[ \t]+(\w+)[ \t]*\{/gm)].map(([, name]) => name)
  const later = clients.find(({ name }) => names.indexOf(name) > names.indexOf(generator.name))
  if (clients.length > 0 && later === undefined) return clients.flatMap(({ output }) => output?.value ?? [])
  const reason = later
    ? `write it below generator ${later.name}, to whose types it adds ids`
    : "it adds ids to the types of Prisma's client; generate both in one run, without --generator"
  throw new IdError('INVALID_OPTION', `generator ${generator.name}: ${reason}`, {
    field: 'generator',
    value: generator.name,
  })
}

/** The module is TypeScript if the client is. */
const languageOf = ({ generator, otherGenerators }: GeneratorOptions): Language =>
  optionOf(generator, 'language', ['ts', 'js']) ??
  (otherGenerators.some(({ provider }) => provider.value === 'prisma-client') ? 'ts' : 'js')

/** Removes files that an earlier run wrote and this one didn't, since they could be imported as the module. */
const FILES = ['index.ts', 'index.js', 'index.d.ts', 'collation.sql']

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const stale = FILES.filter((name) => !Object.hasOwn(files, name))
  await Promise.all([
    ...Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)),
    ...stale.map((name) => removeWritten(join(folder, name))),
  ])
}

async function removeWritten(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.slice(0, 100).includes(MARK)) await rm(file)
}
