import { isAbsolute, relative } from 'node:path'
import { clientName } from '../extension/model.js'
import { familiesOf, idFields, type ModelContent, type ModuleContent } from './content.js'
import type { FoundFamily } from './families.js'
import type { FoundField } from './id-fields.js'
import { nameOf } from './schema.js'

export type Language = 'ts' | 'js'

/** On top of every file that the generator writes. */
export const MARK = 'Written by snoflax-prisma-generator'

/** The files of the generated module, for this absolute path: name → text. */
export function moduleFiles(
  content: ModuleContent,
  folder: string,
  language: Language,
): Readonly<Record<string, string>> {
  const ids = idFields(content)
  const made = familiesOf(ids.filter(({ generated }) => generated))
  // With generators for all, `snoflax()` can do without options.
  const isOptional = !made.some(needsGenerator)
  const text = {
    configuration: configuration(content),
    values: familyImports(ids, folder, 'import'),
    types: familyImports(ids, folder, 'import type'),
    declarations: declarations(content, made, isOptional),
    // Projects may refuse imports that nothing uses.
    generator: made.length > 0 ? "import type { IdSource } from '@snoflax/core/adapter'\n" : '',
    options: `options${isOptional ? '?' : ''}: Options`,
    raw: RAW(ids[0] === undefined ? '' : nameOf(ids[0])),
  }
  if (language === 'ts') return { 'index.ts': typescript(text) }
  return {
    'index.js': javascript(text),
    'index.d.ts': typesOfJavascript(text),
    // The folder's files are ES modules in CommonJS projects, too.
    'package.json': '{ "type": "module" }\n',
  }
}

type Texts = Readonly<
  Record<'configuration' | 'values' | 'types' | 'declarations' | 'generator' | 'options' | 'raw', string>
>

const HEAD = `/* eslint-disable */\n// ${MARK} from the Prisma schema. Changes are lost.\n`
const SNOFLAX = '/** The extension, to be given to `$extends` after all others. */'
const RAW = (name: string): string =>
  `/** For raw queries: \`parameter('${name}', id)\` and \`readRows(rows, { id: '${name}' })\`. */`

const typescript = ({
  configuration,
  values,
  declarations,
  generator,
  options,
  raw,
}: Texts): string => `${HEAD}
${values}
${generator}import {
  type Configuration,
  type Extension,
  idExtension,
  type RawQueries,
  rawQueries,
} from '@snoflax/prisma-extension'

${declarations}
export const configuration: Configuration = ${configuration}

${SNOFLAX}
export const snoflax = (${options}): Extension<Times> => idExtension<Times>(configuration, options)

${raw}
const raw: RawQueries<IdTypes> = rawQueries<IdTypes>(configuration)
export const parameter: RawQueries<IdTypes>['parameter'] = raw.parameter
export const readRows: RawQueries<IdTypes>['readRows'] = raw.readRows
`

const javascript = ({ configuration, values }: Texts): string => `${HEAD}
${values}
import { idExtension, rawQueries } from '@snoflax/prisma-extension'

export const configuration = ${configuration}

export const snoflax = (options) => idExtension(configuration, options)

export const { parameter, readRows } = rawQueries(configuration)
`

const typesOfJavascript = ({ types, declarations, generator, options, raw }: Texts): string => `${HEAD}
${types}
${generator}import type { Configuration, Extension, RawQueries } from '@snoflax/prisma-extension'

${declarations}
export declare const configuration: Configuration

${SNOFLAX}
export declare const snoflax: (${options}) => Extension<Times>

${raw}
export declare const parameter: RawQueries<IdTypes>['parameter']
export declare const readRows: RawQueries<IdTypes>['readRows']
`

/** With a prefix, the families are imported by names that nothing else has. */
export function familyImports(
  ids: readonly FoundField[],
  folder: string,
  keyword: 'import' | 'import type',
  prefix = '',
): string {
  const names = new Map<string, string[]>()
  for (const { name, from: module } of familiesOf(ids)) {
    const from = isAbsolute(module) ? importPath(folder, module) : module
    names.set(from, [...(names.get(from) ?? []), prefix ? `${name} as ${prefix}${name}` : name])
  }
  return [...names].map(([from, list]) => `${keyword} { ${list.join(', ')} } from '${from}'`).join('\n')
}

function importPath(folder: string, file: string): string {
  const path = relative(folder, file)
    .replaceAll('\\', '/')
    .replace(/\.(m|c)?ts$/, '.$1js')
  return path.startsWith('.') ? path : `./${path}`
}

const configuration = ({ database, models }: ModuleContent): string => `{
  database: '${database}',
  models: {
${models.map(modelConfiguration).join('')}  },
}`

function modelConfiguration({ model, ids }: ModelContent): string {
  const fields = ids.map((id) => `      ${id.field.name}: ${idConfiguration(id)},\n`)
  return fields.length === 0 ? '' : `    ${model.name}: {\n${fields.join('')}    },\n`
}

function idConfiguration({ found, storage, generated, comment: { meta, createdAt } }: FoundField): string {
  const settings = [
    `family: ${found.name}`,
    `storage: '${storage}'`,
    ...(generated ? ['generated: true'] : []),
    ...(meta === undefined ? [] : [`meta: ${meta}`]),
    ...(createdAt === undefined ? [] : [`createdAt: '${createdAt}'`]),
  ]
  return `{ ${settings.join(', ')} }`
}

const declarations = (
  content: ModuleContent,
  made: readonly FoundFamily[],
  isOptional: boolean,
): string => `/** Creation times in results, by model. */
export interface Times {
${content.models.map(timesOf).join('')}}

/** Ids by the names that raw queries give to their fields. */
export interface IdTypes {
${idFields(content)
  .map((id) => `  '${nameOf(id)}': ${idType(id.found)}\n`)
  .join('')}}

export interface Options {
  /** Generators of the families whose ids are made here. */
  readonly generators${isOptional ? '?' : ''}: {
${made.map(generatorOption).join('')}  }
}
`

function timesOf({ model, ids }: ModelContent): string {
  const times = ids.flatMap(({ field, comment: { createdAt } }) =>
    createdAt === undefined ? [] : `    ${createdAt}: Date${field.isRequired ? '' : ' | null'}\n`,
  )
  return times.length === 0 ? '' : `  ${clientName(model.name)}: {\n${times.join('')}  }\n`
}

function generatorOption(found: FoundFamily): string {
  const { name } = found.family
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
  return `    readonly ${key}${needsGenerator(found) ? '' : '?'}: IdSource<${idType(found)}>\n`
}

const idType = ({ name }: FoundFamily): string => `ReturnType<typeof ${name}.parse>`
const needsGenerator = ({ family }: FoundFamily): boolean => !('generate' in family)
