import { dirname, resolve } from 'node:path'
import type { GeneratorOptions } from '@prisma/generator-helper'
import { IdError } from '@snoflax/core'
import { collationSql } from './collation.js'
import { refuseHidden } from './comment.js'
import { loadFamilies } from './families.js'
import { findIdFields } from './id-fields.js'
import { Mistakes } from './mistakes.js'
import { type Language, moduleFiles } from './module.js'
import type { ModuleContent } from './module-content.js'
import { outline } from './outline.js'
import { databaseOf, viewsOf } from './schema.js'
import { writeFiles } from './write.js'

/**
 * Writes the module for a schema.
 *
 * @throws {IdError} `INVALID_OPTION` that lists every mistake, with model and field.
 */
export async function generate(options: GeneratorOptions): Promise<void> {
  const { generator, otherGenerators } = options
  const folder = generator.output?.value
  if (!folder) throw new IdError('INVALID_OPTION', 'output: say where the module goes', { field: 'output' })
  const content = await readSchema(options, folder)
  const language = languageOf(generator.config['language'], otherGenerators)
  const collations = collationSql(content)
  await writeFiles(folder, {
    ...moduleFiles(content, language),
    ...(collations && { 'collation.sql': collations }),
  })
}

async function readSchema(options: GeneratorOptions, folder: string): Promise<ModuleContent> {
  const { generator, datasources, datamodel, dmmf } = options
  const database = databaseOf(datasources[0]?.provider ?? '')
  const schema = { database, models: dmmf.datamodel.models, views: viewsOf(datamodel) }
  const findFamily = await loadFamilies(familiesFile(generator))
  const mistakes = new Mistakes()
  refuseHidden(datamodel, mistakes)
  const found = findIdFields(schema, findFamily, mistakes)
  const models = outline(schema, found, mistakes)
  mistakes.raise()
  return { database, models, folder }
}

/** As every path in a generator's block, it starts at the schema file that has the block. */
function familiesFile({ config, sourceFilePath }: GeneratorOptions['generator']): string | undefined {
  const given = config['families']
  return typeof given === 'string' ? resolve(dirname(sourceFilePath), given) : undefined
}

/** Where the client is TypeScript that the project compiles, so is the module. */
function languageOf(given: unknown, others: GeneratorOptions['otherGenerators']): Language {
  if (given === 'ts' || given === 'js') return given
  if (given !== undefined) {
    throw new IdError('INVALID_OPTION', `language: it is "ts" or "js", not ${JSON.stringify(given)}`, {
      field: 'language',
      value: given,
    })
  }
  return others.some(({ provider }) => provider.value === 'prisma-client') ? 'ts' : 'js'
}
