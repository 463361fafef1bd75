import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DMMF } from '@prisma/generator-helper'
import { IdError } from '@snoflax/core'
import { OF_IDS, OF_OTHERS } from '../extension/id-value.js'
import { type FoundField, familiesIn, type ModelIds, type SchemaIds } from './id-fields.js'
import { familyImports, idType, MARK } from './module.js'
import { capitalized } from './schema.js'

/** Which ids arguments accept: only ids of the field's family, or any text except ids of other families. */
export type Brands = 'strict' | 'results'

/**
 * Puts ids into the types of a generated client: in its rows, aggregates and arguments.
 *
 * @throws {IdError} `INVALID_OPTION` if its files are not found, or core from there; `UNSUPPORTED_VERSION` if its types
 * are not as Prisma 6.19 to 7 writes them.
 */
export async function typeClient(
  folder: string,
  schema: SchemaIds,
  dmmf: DMMF.Document,
  brands: Brands,
): Promise<void> {
  const models = schema.models.map((model) => ({ ...model, ids: model.ids.filter(isRetyped) }))
  const ids = models.flatMap((model) => model.ids)
  if (ids.length === 0) return
  const files = await typeFiles(folder)
  const types = new ClientTypes(files)
  for (const { type, id } of argumentsOf(models, dmmf)) types.inArgument(type, id)
  for (const model of models) if (model.ids.length > 0) types.inRows(model)
  const imports = `${familyImports(ids, folder, 'import type', '$')}\nimport type { Id as $Id, IdOf as $IdOf, OpaqueId as $OpaqueId } from '@snoflax/core'`
  types.declare(ids, brands, [`// ${MARK}`, imports])
  for (const { path, lines } of files) await writeFile(path, lines.join('\n'))
}

/** Whether the client's own type of a field is another one than that of its ids. */
const isRetyped = ({ branded, field }: FoundField): boolean => branded || field.type !== 'String'

interface TypeFile {
  readonly path: string
  lines: string[]
}

/** The files that declare a client's types; the last one has those common to all models. */
async function typeFiles(folder: string): Promise<TypeFile[]> {
  const models = join(folder, 'models')
  // `.mts` and `.cts`, where the schema asks for them.
  const shared = (await readdir(folder)).find((name) => /^commonInputTypes\.[mc]?ts$/.test(name))
  const paths = shared
    ? [...(await readdir(models)).map((name) => join(models, name)), join(folder, shared)]
    : [join(folder, 'index.d.ts')]
  const missing = paths.find((path) => !existsSync(path))
  if (missing) throw refusal(folder, `the client has no file ${missing}`)
  try {
    createRequire(join(folder, 'index.js')).resolve('@snoflax/core/package.json')
  } catch {
    throw refusal(
      folder,
      '@snoflax/core is not found from there; set output of the client to a folder within your project',
    )
  }
  return Promise.all(paths.map(async (path) => ({ path, lines: (await readFile(path, 'utf8')).split('\n') })))
}

const refusal = (folder: string, reason: string): IdError =>
  new IdError('INVALID_OPTION', `${folder}: ${reason}`, { field: 'output', value: folder })

/** The types of arguments that have ids, once for each id. */
function argumentsOf(models: readonly ModelIds[], { schema }: DMMF.Document) {
  const inputs = schema.inputObjectTypes.prisma ?? []
  const ofModels = new Map(inputs.map(({ name, meta }) => [name, meta?.grouping ?? meta?.source]))
  const byName = new Map(models.map(({ model, ids }) => [model.name, ids]))
  return inputs.flatMap(({ name: type, fields }) => {
    const model = ofModels.get(type)
    const ids = model === undefined ? undefined : byName.get(model)
    // Prisma writes operators into the files of models, too.
    const isOperators = (name: string): boolean =>
      ofModels.get(name) === undefined || /(?:FieldUpdateOperationsInput|ListFilter)$/.test(name)
    if (!ids || isOperators(type) || ids.some(({ field }) => isListInput(type, model, field.name))) return []
    const isArgument = ({ field: { name } }: FoundField) =>
      fields
        .find((field) => field.name === name)
        ?.inputTypes.every(({ type: of, location }) =>
          location === 'inputObjectTypes'
            ? isOperators(`${of}`) || isListInput(`${of}`, model, name)
            : location !== 'enumTypes',
        )
    return ids.filter(isArgument).map((id) => ({ type, id }))
  })
}

/** The operators of a list field: `{ set: [] }`. */
const isListInput = (type: string, model: string | undefined, field: string): boolean =>
  type === `${model}Create${field}Input` || type === `${model}Update${field}Input`

const DECLARATION = /^( *)(?:export )?type (\$?\w+)(?:<.*>)? = (?:(?:Prisma\.)?AtLeast<)?\{$/
const PROPERTY = /^( *\w+\??: )(.*)$/
const SCALARS = /^(?:string|bigint|number|(?:(?:runtime|Prisma)\.)?Bytes|Uint8Array(?:<\w+>)?)(\[\])?$/

/** The types that a union with ids may contain. */
const OTHERS = /^(?:null|undefined|[\w$.]+\.Skip|(?:Prisma\.)?\w*FieldRefInput<.*>)$/

/** A declaration, as lines of a file from its head to its closing brace. */
interface Declaration {
  readonly file: TypeFile
  readonly from: number
  readonly to: number
}

/**
 * The types of ids in results and in arguments. If arguments accept any text, a mark on ids from results distinguishes
 * models: core's brand would also refuse ids without a model.
 */
function declarationsOf(name: string, ids: FoundField, brands: Brands): string[] {
  const { of, branded } = ids
  const id = idType(ids, '$')
  if (!branded || brands === 'strict')
    return [`export type ${name} = ${id}`, `export type ${name}Input = ${name}`]
  const [mark, input] =
    of === undefined
      ? ['', '']
      : [` & { readonly '~model': (${id})['~of'] }`, `; readonly '~model'?: ${name}['~of']`]
  return [
    `export type ${name} = ${mark && id.includes(' | ') ? `(${id})` : id}${mark}`,
    `export type ${name}Input = string & { readonly '~family'?: ${name}['~family']${input} }`,
  ]
}

class ClientTypes {
  readonly #declarations = new Map<string, Declaration>()
  /** Prisma's operators with ids in place of their scalars, by name. */
  readonly #operators = new Map<string, readonly string[]>()
  readonly #files: readonly TypeFile[]

  constructor(files: readonly TypeFile[]) {
    this.#files = files
    for (const file of files) {
      for (let from = 0; from < file.lines.length; from++) {
        const [, indent, name] = DECLARATION.exec(file.lines[from] as string) ?? []
        if (name === undefined) continue
        const to = file.lines.findIndex((line, at) => at > from && line.startsWith(`${indent}}`))
        this.#declarations.set(name, { file, from, to })
        from = to
      }
    }
  }

  inArgument(type: string, id: FoundField): void {
    const { name } = id.field
    this.#change(type, name, (text) => this.#argument(text, id, `${type}.${name}`))
  }

  inRows({ model: { name }, ids }: ModelIds): void {
    const types = ['MinAggregateOutputType', 'MaxAggregateOutputType', 'GroupByOutputType']
    for (const id of ids) {
      const { field } = id
      const change = (type: string) =>
        this.#change(type, field.name, (text) =>
          text
            .split(' | ')
            .map((part) => part.replace(SCALARS, `Prisma.${idName(id)}$1`))
            .join(' | '),
        )
      change(`$${name}Payload`)
      // Lists have no minimum.
      for (const type of field.isList ? types.slice(2) : types) change(`${capitalized(name)}${type}`)
    }
  }

  /** Writes the types that the changed ones refer to. */
  declare(ids: readonly FoundField[], brands: Brands, head: readonly string[]): void {
    const file = this.#files.at(-1) as TypeFile
    const kinds = new Map(ids.map((id) => [idName(id), id]))
    const declarations = [...kinds].flatMap(([name, one]) => declarationsOf(name, one, brands))
    const all = [...declarations, ...[...this.#operators.values()].flat()]
    const namespace = file.lines.indexOf('export namespace Prisma {')
    if (namespace === -1) file.lines.push(...head, ...all, '')
    else file.lines.splice(namespace, 1, ...head, 'export namespace Prisma {', ...all)
  }

  #change(type: string, field: string, change: (text: string) => string): void {
    const { file, from, to } = this.#declarations.get(type) ?? refuseTypes(type)
    // A payload has other members before the fields.
    const scalars = file.lines.findIndex((line, index) => index > from && /^ +scalars: .*\{$/.test(line))
    const after = type.startsWith('$') ? scalars : from
    const isProperty = new RegExp(`^ +${field}\\??: `)
    const at = file.lines.findIndex((line, index) => index > after && index < to && isProperty.test(line))
    if (at === -1) refuseTypes(`${type}.${field}`)
    file.lines[at] = changeProperty(file.lines[at] as string, change)
  }

  /** `Prisma.UuidFilter<"Order"> | string` → `Prisma.$SnoUuidFilter<"Order"> | Prisma.$SnoId` */
  #argument(text: string, ids: FoundField, place: string): string {
    const parts = text.split(' | ').map((part) => {
      const [scalar, list = ''] = SCALARS.exec(part) ?? []
      if (scalar !== undefined) return `Prisma.${idName(ids)}Input${list}`
      if (OTHERS.test(part)) return part
      const [, operators = refuseTypes(`${place}: ${part}`), model = ''] =
        /^(?:Prisma\.)?([A-Za-z]\w*)(<[^<>]*>)?$/.exec(part) ?? []
      return `Prisma.${this.#operatorsOf(operators, ids)}${model}`
    })
    return [...new Set(parts)].join(' | ')
  }

  #operatorsOf(type: string, ids: FoundField): string {
    const name = `${idName(ids)}${type}`
    if (this.#operators.has(name)) return name
    const { file, from, to } = this.#declarations.get(type) ?? refuseTypes(type)
    this.#operators.set(name, [])
    const [head = '', ...lines] = file.lines.slice(from, to + 1)
    const changed = lines.map((line) => {
      const [, word] = /^ +(\w+)\??: /.exec(line) ?? []
      if (word === undefined || OF_OTHERS.has(word)) return line
      if (!OF_IDS.has(word)) return refuseTypes(`${type}.${word}`)
      return changeProperty(line, (text) => this.#argument(text, ids, `${type}.${word}`))
    })
    this.#operators.set(name, [head.replace(` ${type}`, ` ${name}`), ...changed])
    return name
  }
}

const changeProperty = (line: string, change: (text: string) => string): string =>
  line.replace(PROPERTY, (_, head: string, text: string) => head + change(text))

/** `$SnoIdOfOrder` */
function idName(ids: FoundField): string {
  if (!ids.branded) return '$Text'
  const names = familiesIn(ids).map(({ name }) => capitalized(name))
  return `$${names.join('Or')}Id${ids.of === undefined ? '' : `Of${ids.of}`}`
}

function refuseTypes(place: string): never {
  throw new IdError(
    'UNSUPPORTED_VERSION',
    `the client's type ${place} is not as Prisma 6.19 to 7 writes it, so ids cannot be added to it; install a ` +
      'version of @snoflax/prisma-extension that knows this Prisma',
    { field: 'output', value: place },
  )
}
