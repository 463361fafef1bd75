import { isAbsolute, relative } from 'node:path'
import type { PrefixedFamily } from '@snoflax/core'
import { clientName } from '../extension/model.js'
import { familiesOf, idFields, type ModelContent, type ModuleContent } from './content.js'
import type { FoundFamily } from './families.js'
import { acceptedFamilies, type FoundField, isPattern } from './id-fields.js'
import { capitalized, nameOf } from './schema.js'

export type Language = 'ts' | 'js'

/** The first line of every generated file. */
export const MARK = 'Written by snoflax-prisma-generator'

/** A constant of the module. */
interface Constant {
  readonly about?: string
  readonly isLocal?: true
  readonly name: string
  readonly type: string
  readonly value: string
}

const HEAD = `/* eslint-disable */\n// ${MARK} from the Prisma schema. Changes are lost.\n`

/** The files of the generated module, for this absolute path: name → text. */
export function moduleFiles(
  content: ModuleContent,
  folder: string,
  language: Language,
): Readonly<Record<string, string>> {
  const ids = idFields(content)
  const made = familiesOf(ids.filter(({ generated }) => generated))
  // If every family has a default generator, `snoflax()` needs no options.
  const isOptional = !made.some(needsGenerator)
  const constants = constantsOf(content, isOptional)
  const write = (head: string, imports: readonly string[], lines: readonly string[]) =>
    `${[HEAD, ...imports, ''].join('\n')}\n${head}${lines.join('\n')}`
  const each = (keyword: string, end: (one: Constant) => string) =>
    constants
      .filter((one) => !(one.isLocal && keyword === 'declare const'))
      .map((one) => {
        const about = one.about ? `/** ${one.about} */\n` : ''
        return `${about}${one.isLocal ? '' : 'export '}${keyword} ${one.name}${end(one)}\n`
      })
  const values = [
    constants.some(({ value }) => value.startsWith('prefixed('))
      ? "import { prefixed } from '@snoflax/core'"
      : [],
    familyImports(ids, folder, 'import'),
  ].flat()
  const declared = `${declarations(content, made, isOptional)}\n`
  const types = [
    coreTypes(declared + constants.map(({ type }) => type).join('')),
    // Projects may refuse unused imports.
    made.length > 0 ? "import type { IdSource } from '@snoflax/core/adapter'" : [],
    "import type { Configuration, Extension, StoredIds } from '@snoflax/prisma-extension'",
  ].flat()
  const functions = "import { idExtension, storedIds } from '@snoflax/prisma-extension'"
  if (language === 'ts') {
    const lines = each('const', ({ type, value }) => `: ${type} = ${value}`)
    return { 'index.ts': write(declared, [...values, ...types, functions], lines) }
  }
  const lines = each('const', ({ value }) => ` = ${value}`)
  const typed = each('declare const', ({ type }) => `: ${type}`)
  return {
    'index.js': write('', [...values, functions], lines),
    'index.d.ts': write(declared, [familyImports(ids, folder, 'import type'), ...types], typed),
    // The folder's files are ES modules in CommonJS projects, too.
    'package.json': '{ "type": "module" }\n',
  }
}

function constantsOf(content: ModuleContent, isOptional: boolean): Constant[] {
  const ids = idFields(content)
  const families = familiesOf(ids).flatMap(({ name, prefix, export: base }) =>
    prefix === undefined
      ? []
      : {
          name,
          type: `PrefixedFamily<'${prefix}', typeof ${base}>`,
          value: `prefixed(${base}, '${prefix}')`,
        },
  )
  return [
    ...families,
    { name: 'configuration', type: 'Configuration', value: configuration(content) },
    {
      about: 'The extension, to be given to `$extends` after all others.',
      name: 'snoflax',
      type: `(options${isOptional ? '?' : ''}: Options) => Extension<Times, Keys>`,
      value: '(options) => idExtension(configuration, options)',
    },
    ...forStored(ids),
  ]
}

/** For raw queries on compact storages. */
function forStored([first]: readonly FoundField[]): Constant[] {
  const name = first === undefined ? '' : nameOf(first)
  const one = (name: string) => ({ name, type: `StoredIds<IdTypes>['${name}']`, value: `stored.${name}` })
  return [
    { isLocal: true, name: 'stored', type: 'StoredIds<IdTypes>', value: 'storedIds(configuration)' },
    { about: `A parameter of a raw query: \`parameter('${name}', id)\`.`, ...one('parameter') },
    { about: `An id in its rows: \`fromDatabase('${name}', row.id)\`.`, ...one('fromDatabase') },
  ]
}

/** Imports of the families; with `head`, under names that begin with it, so that nothing else has them. */
export function familyImports(
  ids: readonly FoundField[],
  folder: string,
  keyword: 'import' | 'import type',
  head = '',
): string {
  const names = new Map<string, Set<string>>()
  for (const { export: name, from: module } of [...familiesOf(ids), ...ids.flatMap(acceptedFamilies)]) {
    const from = isAbsolute(module) ? importPath(folder, module) : module
    names.set(from, (names.get(from) ?? new Set()).add(head ? `${name} as ${head}${name}` : name))
  }
  return [...names].map(([from, list]) => `${keyword} { ${[...list].join(', ')} } from '${from}'`).join('\n')
}

/** Types of core that the module's types use. */
function coreTypes(text: string): string[] {
  const names = ['Id', 'IdOf', 'PrefixedFamily'].filter((name) => new RegExp(`\\b${name}<`).test(text))
  return names.length === 0 ? [] : [`import type { ${names.join(', ')} } from '@snoflax/core'`]
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

function idConfiguration({ model, field, found, accept, storage, generated, comment }: FoundField): string {
  const relations = model.fields.filter(({ relationFromFields }) => relationFromFields?.includes(field.name))
  const { meta, onMismatch, createdAt } = comment
  const accepted = accept.map((one) => (one instanceof RegExp ? `${one}` : one.name))
  const settings = [
    `family: ${found.name}`,
    `storage: '${storage}'`,
    ...(generated ? ['generated: true'] : []),
    ...(isKey({ field, generated }) ? ['key: true'] : []),
    ...(accepted.length === 0 ? [] : [`accept: [${accepted.join(', ')}]`]),
    ...(meta === undefined ? [] : [`meta: ${meta}`]),
    ...(onMismatch === undefined ? [] : [`onMismatch: '${onMismatch}'`]),
    ...(createdAt === undefined ? [] : [`createdAt: '${createdAt}'`]),
    ...(relations.length === 0
      ? []
      : [`relations: [${relations.map(({ name }) => `'${name}'`).join(', ')}]`]),
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

/** The type of ids by field. */
export interface IdTypes {
${idFields(content)
  .map((id) => `  '${nameOf(id)}': ${idTypeOf(id)}\n`)
  .join('')}}

/** The ids that \`$find\` looks up, by model. */
export interface Keys {
${content.models.map(keysOf).join('')}}

${content.models.map(modelId).join('')}
export interface Options {
  /** Generators of the families whose ids are generated here. */
  readonly generators${isOptional ? '?' : ''}: {
${generatorOptions(made)}  }
}
`

/** A prefix is known of ids that the client types as texts, too. */
function keysOf({ model, ids }: ModelContent): string {
  const types = ids
    .filter(isKey)
    .flatMap((id) => (id.accept.some(isPattern) ? 'string' : [id.found, ...acceptedFamilies(id)].map(idType)))
  return types.length === 0 ? '' : `  ${model.name}: ${[...new Set(types)].join(' | ')}\n`
}

const isKey = ({ field, generated }: Pick<FoundField, 'field' | 'generated'>): boolean =>
  field.isId || (field.isUnique && generated)

function timesOf({ model, ids }: ModelContent): string {
  const times = ids.flatMap(({ field, accept, comment: { createdAt } }) => {
    const hasTime = field.isRequired && accept.length === 0
    return createdAt === undefined ? [] : `    ${createdAt}: Date${hasTime ? '' : ' | null'}\n`
  })
  return times.length === 0 ? '' : `  ${clientName(model.name)}: {\n${times.join('')}  }\n`
}

/** The generators' option: by family, and by base, whose generator serves all its prefixes. */
function generatorOptions(made: readonly FoundFamily[]): string {
  const names = new Set(made.map(({ family }) => family.name))
  const bases = made.flatMap(({ family, prefix, ...rest }) => {
    const base = prefix === undefined ? undefined : (family as PrefixedFamily).base
    return base && !names.has(base.name) ? [{ ...rest, family: base, name: rest.export }] : []
  })
  const unique = new Map([...made, ...bases].map((found) => [found.family.name, found]))
  return [...unique.values()].map(generatorOption).join('')
}

function generatorOption(found: FoundFamily): string {
  const { name } = found.family
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
  const isOptional = found.prefix !== undefined || !needsGenerator(found)
  return `    readonly ${key}${isOptional ? '?' : ''}: IdSource<${idType(found)}>\n`
}

const idType = ({ name, prefix }: FoundFamily): string =>
  prefix === undefined ? `ReturnType<typeof ${name}.parse>` : `Id<'${prefix}'>`

function idTypeOf(id: FoundField): string {
  if (!id.branded) return 'string'
  const types = [id.found, ...acceptedFamilies(id)].map(idType)
  return types.map((type) => (id.of === undefined ? type : `IdOf<${type}, '${id.of}'>`)).join(' | ')
}

/** The name of the id type of a model that has its own. */
function modelId({ model: { name }, ids }: ModelContent): string {
  const key = ids.find(({ of }) => of === name)
  if (key === undefined) return ''
  return `/** An id of ${name}. */\nexport type ${capitalized(name)}Id = IdTypes['${nameOf(key)}']\n`
}
const needsGenerator = ({ family }: FoundFamily): boolean => !('generate' in family)
