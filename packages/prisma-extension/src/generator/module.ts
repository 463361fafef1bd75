import { isAbsolute, relative } from 'node:path'
import type { PrefixedFamily } from '@snoflax/core'
import type { IdField } from '../configuration.js'
import { clientName } from '../extension/model.js'
import type { FoundFamily } from './families.js'
import {
  type FoundField,
  familiesIn,
  familiesOf,
  idFields,
  isPattern,
  type ModelIds,
  type SchemaIds,
} from './id-fields.js'
import { capitalized, nameOf } from './schema.js'

export type Language = 'ts' | 'js'

/** The first line of every generated file. */
export const MARK = 'Written by snoflax-prisma-generator'

const HEAD = `/* eslint-disable */\n// ${MARK} from the Prisma schema. Changes are lost.\n`

/** A constant of the module, exported unless it is an inner one. */
interface Constant {
  readonly isInner?: boolean
  readonly about?: string
  readonly name: string
  readonly type: string
  readonly value: string
}

/** The files of the generated module, for this absolute path: name → text. */
export function moduleFiles(
  schema: SchemaIds,
  folder: string,
  language: Language,
): Readonly<Record<string, string>> {
  const ids = idFields(schema)
  const generated = familiesOf(ids.filter((id) => id.generated))
  // If every family has a default generator, `snoflax()` needs no options.
  const isOptional = !generated.some(needsGenerator)
  const constants = constantsOf(schema, isOptional)
  const declared = declarations(schema, generated, isOptional)
  const values = [
    ids.some(({ found }) => found.prefix !== undefined) ? "import { prefixed } from '@snoflax/core'" : '',
    familyImports(ids, folder, 'import'),
    "import { idExtension, storedIds } from '@snoflax/prisma-extension'",
  ]
  const types = typeImports(declared + constants.map(({ type }) => type).join(''))
  const file = (imports: readonly string[], parts: readonly string[]) =>
    `${HEAD}${imports.filter(Boolean).join('\n')}\n\n${parts.join('\n\n')}\n`
  const each = (keyword: string, end: (one: Constant) => string) =>
    constants.map((one) => {
      const about = one.about ? `/** ${one.about} */\n` : ''
      return `${about}${one.isInner ? '' : 'export '}${keyword} ${one.name}${end(one)}`
    })
  if (language === 'ts') {
    const lines = each('const', ({ type, value }) => `: ${type} = ${value}`)
    return { 'index.ts': file([...values, ...types], [declared, ...lines]) }
  }
  const lines = each('const', ({ value }) => ` = ${value}`)
  const typed = each('declare const', ({ type }) => `: ${type}`)
  return {
    'index.js': file(values, lines),
    'index.d.ts': file([familyImports(ids, folder, 'import type'), ...types], [declared, ...typed]),
    // The folder's files are ES modules in CommonJS projects, too.
    'package.json': '{ "type": "module" }\n',
  }
}

function constantsOf(schema: SchemaIds, isOptional: boolean): Constant[] {
  const ids = idFields(schema)
  const families = familiesOf(ids).filter(isDeclared)
  const example = ids[0] ? nameOf(ids[0]) : ''
  const byField = (name: string, about: string) => ({
    about,
    name,
    type: `StoredIds<IdTypes>['${name}']`,
    value: `byField.${name}`,
  })
  return [
    ...families.map(({ name, prefix, pattern, family, export: base }) =>
      pattern
        ? {
            name,
            type: `Omit<OpaqueFamily<'${family.name}'>, 'generate'>`,
            value: `opaque('${family.name}', { pattern: ${pattern} })`,
          }
        : {
            name,
            type: `PrefixedFamily<'${prefix}', typeof ${base}>`,
            value: `prefixed(${base}, '${prefix}')`,
          },
    ),
    { name: 'configuration', type: 'Configuration', value: configuration(schema) },
    {
      about: 'The extension; pass it to `$extends` after all others.',
      name: 'snoflax',
      type: `(options${isOptional ? '?' : ''}: Options) => Extension<Times, Keys>`,
      value: '(options) => idExtension(configuration, options)',
    },
    {
      isInner: true,
      name: 'byField',
      type: 'StoredIds<IdTypes>',
      value: 'storedIds(configuration)',
    },
    byField('parameter', `A parameter of a raw query: \`parameter('${example}', id)\`.`),
    byField('fromDatabase', `An id in its rows: \`fromDatabase('${example}', row.id)\`.`),
    byField('createdBetween', `A filter by time: \`createdBetween('${example}', from, to)\`.`),
    byField('createdAfter', `A filter by time: \`createdAfter('${example}', from)\`.`),
    byField('createdBefore', `A filter by time: \`createdBefore('${example}', to)\`.`),
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
  for (const { export: name, from: module } of ids.flatMap(familiesIn)) {
    const from = isAbsolute(module) ? importPath(folder, module) : module
    names.set(from, (names.get(from) ?? new Set()).add(head ? `${name} as ${head}${name}` : name))
  }
  return [...names].map(([from, list]) => `${keyword} { ${[...list].join(', ')} } from '${from}'`).join('\n')
}

function importPath(folder: string, file: string): string {
  const path = relative(folder, file)
    .replaceAll('\\', '/')
    .replace(/\.(m|c)?ts$/, '.$1js')
  return path.startsWith('.') ? path : `./${path}`
}

/** Imports of the types that the text uses. Projects may refuse others. */
const typeImports = (text: string): string[] => [
  ...Object.entries({
    '@snoflax/core': ['Id', 'IdOf', 'OpaqueFamily', 'OpaqueId', 'PrefixedFamily'],
    '@snoflax/core/adapter': ['IdSource'],
  }).flatMap(([from, names]) => {
    const used = names.filter((name) => new RegExp(`\\b${name}<`).test(text))
    return used.length === 0 ? [] : `import type { ${used.join(', ')} } from '${from}'`
  }),
  "import type { Configuration, Extension, StoredIds } from '@snoflax/prisma-extension'",
]

const configuration = ({ database, models }: SchemaIds): string => `{
  database: '${database}',
  models: {
${models.map(modelConfiguration).join('')}  },
}`

function modelConfiguration({ model, ids }: ModelIds): string {
  const fields = ids.map((id) => `      ${id.field.name}: ${idConfiguration(id)},\n`)
  return fields.length === 0 ? '' : `    ${model.name}: {\n${fields.join('')}    },\n`
}

function idConfiguration(id: FoundField): string {
  const { model, field, found, accept, comment } = id
  const text = (value: string | undefined) => value && `'${value}'`
  const list = (values: readonly unknown[]) => (values.length === 0 ? undefined : `[${values.join(', ')}]`)
  const relations = model.fields.filter(({ relationFromFields }) => relationFromFields?.includes(field.name))
  const settings = {
    family: found.name,
    storage: text(id.storage),
    generated: id.generated || undefined,
    key: text(keyOf(id)),
    accept: list(accept.map((one) => (one instanceof RegExp ? one : one.name))),
    meta: comment.meta,
    onMismatch: text(comment.onMismatch),
    createdAt: text(comment.createdAt),
    relations: list(relations.map(({ name }) => text(name))),
  }
  const present = Object.entries(settings).filter(([, value]) => value !== undefined)
  return `{ ${present.map(([name, value]) => `${name}: ${value}`).join(', ')} }`
}

const declarations = (
  schema: SchemaIds,
  generated: readonly FoundFamily[],
  isOptional: boolean,
): string => `/** Creation times in results, by model. */
export interface Times {
${schema.models.map(timesOf).join('')}}

/** The type of ids by field. */
export interface IdTypes {
${idFields(schema)
  .map((id) => `  '${nameOf(id)}': ${idType(id)}\n`)
  .join('')}}

/** The ids that \`$find\` looks up, by model. */
export interface Keys {
${schema.models.map(keysOf).join('')}}

${schema.models.map(modelId).join('')}
export interface Options {
  /** Generators of the families whose ids are generated here. */
  readonly generators${isOptional ? '?' : ''}: {
${generatorOptions(generated)}  }
}`

/** A prefix is known of ids that the client types as texts, too. */
function keysOf({ model, ids }: ModelIds): string {
  const types = ids
    .filter((id) => keyOf(id) !== undefined)
    .flatMap((id) => (id.accept.some(isPattern) ? 'string' : familiesIn(id).map((one) => typeOf(one))))
  return types.length === 0 ? '' : `  ${model.name}: ${[...new Set(types)].join(' | ')}\n`
}

function keyOf({ model, field, isGenerating }: FoundField): IdField['key'] {
  if (field.isList) return undefined
  if (field.isId || field.isUnique) return 'unique'
  const sets = [model.primaryKey?.fields ?? [], ...model.uniqueFields]
  return isGenerating || sets.some((fields) => fields.includes(field.name)) ? 'shared' : undefined
}

function timesOf({ model, ids }: ModelIds): string {
  const times = ids.flatMap(({ field, accept, comment: { createdAt } }) => {
    const hasTime = field.isRequired && accept.length === 0
    return createdAt === undefined ? [] : `    ${createdAt}: Date${hasTime ? '' : ' | null'}\n`
  })
  return times.length === 0 ? '' : `  ${clientName(model.name)}: {\n${times.join('')}  }\n`
}

/** The generators' option: by family, and by base, whose generator serves all its prefixes. */
function generatorOptions(generated: readonly FoundFamily[]): string {
  const names = new Set(generated.map(({ family }) => family.name))
  const bases = generated.flatMap(({ family, prefix, ...rest }) => {
    const base = prefix === undefined ? undefined : (family as PrefixedFamily).base
    return base && !names.has(base.name) ? [{ ...rest, family: base, name: rest.export }] : []
  })
  const unique = new Map([...generated, ...bases].map((found) => [found.family.name, found]))
  return [...unique.values()].map(generatorOption).join('')
}

function generatorOption(found: FoundFamily): string {
  const { name } = found.family
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
  const isOptional = found.prefix !== undefined || !needsGenerator(found)
  return `    readonly ${key}${isOptional ? '?' : ''}: IdSource<${typeOf(found)}>\n`
}

/** Whether the generated module declares it. */
const isDeclared = ({ prefix, pattern }: FoundFamily): boolean =>
  prefix !== undefined || pattern !== undefined

const needsGenerator = ({ family }: FoundFamily): boolean => !('generate' in family)

/** The type of a family's ids; `head` begins the names of its imports. */
const typeOf = ({ name, prefix, pattern, family }: FoundFamily, head = ''): string =>
  pattern
    ? `${head}OpaqueId<'${family.name}'>`
    : prefix === undefined
      ? `ReturnType<typeof ${head}${name}.parse>`
      : `${head}Id<'${prefix}'>`

/** The type of a field's ids: `IdOf<Id<'cus'>, 'Customer'>`. */
export function idType(id: Pick<FoundField, 'found' | 'accept' | 'of' | 'branded'>, head = ''): string {
  if (!id.branded) return 'string'
  const types = familiesIn(id).map((family) => typeOf(family, head))
  return types.map((type) => (id.of === undefined ? type : `${head}IdOf<${type}, '${id.of}'>`)).join(' | ')
}

/** The name of the id type of a model that has its own. */
function modelId({ model: { name }, ids }: ModelIds): string {
  const key = ids.find(({ of }) => of === name)
  if (key === undefined) return ''
  return `/** An id of ${name}. */\nexport type ${capitalized(name)}Id = IdTypes['${nameOf(key)}']\n`
}
