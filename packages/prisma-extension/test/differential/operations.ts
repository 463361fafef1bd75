import type { Configuration } from '@snoflax/prisma-extension'
import type { Dmmf, Input, InputObject, InputType } from '../shop/argument-paths.js'

/** A call of a client. */
export interface Call {
  readonly model: string
  readonly operation: string
  readonly args: Record<string, unknown>
}

type Random = () => number

const OPERATIONS: Readonly<Record<string, string>> = {
  createOne: 'create',
  updateOne: 'update',
  deleteOne: 'delete',
  upsertOne: 'upsert',
}
const DEPTH = 3
/** What has no order by itself, or is another type's. */
const SKIPPED = new Set([
  'orderBy',
  'cursor',
  'distinct',
  'take',
  'skip',
  'having',
  'by',
  '_min',
  '_max',
  'mode',
  'note',
])

/** Random calls: every operation of Prisma's DMMF, with arguments by its input types to a depth of three. */
export class Operations {
  readonly #types: ReadonlyMap<string, InputObject>
  readonly #relations: ReadonlyMap<string, readonly (readonly [name: string, target: string])[]>
  readonly #fields: ReadonlyMap<string, readonly string[]>
  readonly #calls: readonly { model: string; operation: string; args: readonly Input[] }[]

  constructor(
    dmmf: Dmmf,
    private readonly configuration: Configuration,
    private readonly ids: Readonly<Record<string, readonly string[]>>,
    private readonly random: Random,
  ) {
    this.#types = new Map(dmmf.schema.inputObjectTypes.prisma.map((type) => [type.name, type]))
    this.#relations = new Map(
      dmmf.datamodel.models.map(({ name, fields }) => [
        name,
        fields.filter(({ kind }) => kind === 'object').map((field) => [field.name, field.type] as const),
      ]),
    )
    this.#fields = new Map(
      dmmf.datamodel.models.map(({ name, fields }) => [
        name,
        fields.filter(({ kind, type }) => kind === 'scalar' && type !== 'Json').map((field) => field.name),
      ]),
    )
    const fields = dmmf.schema.outputObjectTypes.prisma
      .filter(({ name }) => name === 'Query' || name === 'Mutation')
      .flatMap((type) => type.fields)
    this.#calls = dmmf.mappings.modelOperations.flatMap(({ model = '', ...operations }) =>
      Object.entries(operations).flatMap(([operation, name]) => {
        const args = fields.find((field) => field.name === name)?.args
        return args ? [{ model, operation: OPERATIONS[operation] ?? operation, args }] : []
      }),
    )
  }

  next(only?: string): Call {
    const possible = only ? this.#calls.filter(({ operation }) => operation === only) : this.#calls
    const { model, operation, args } = this.#one(possible)
    const given: Record<string, unknown> = {}
    for (const arg of args) {
      if (SKIPPED.has(arg.name) || !(arg.isRequired || this.random() < 0.8)) continue
      const value = this.#value(arg, DEPTH, model, undefined)
      if (value !== undefined) given[arg.name] = value
    }
    return { model, operation, args: { ...given, ...this.#shape(model, operation) } }
  }

  #shape(model: string, operation: string): object {
    const keys = Object.keys(this.configuration.models[model] ?? {})
    if (operation === 'groupBy')
      return { by: [this.#one(keys.length > 0 ? keys : this.#scalars(model))], _count: { _all: true } }
    if (operation === 'aggregate') return { _count: { _all: true } }
    if (/Many|count/.test(operation) && operation !== 'findMany') return {}
    const include = this.#include(model, 2)
    const orderBy = this.#keyOf(model).map((field) => ({ [field]: 'asc' }))
    const page = this.random() < 0.3 ? { take: 1 + Math.floor(this.random() * 3) } : {}
    return {
      ...(include && { include }),
      ...(/^findFirst|^findMany/.test(operation) && { orderBy, ...(operation === 'findMany' && page) }),
    }
  }

  #include(model: string, depth: number): object | undefined {
    const names = (this.#relations.get(model) ?? []).filter(() => this.random() < 0.4)
    if (depth === 0 || names.length === 0) return undefined
    return Object.fromEntries(
      names.map(([name, target]) => {
        const include = this.#include(target, depth - 1)
        return [name, include ? { include } : true]
      }),
    )
  }

  #keyOf(model: string): readonly string[] {
    const fields = Object.keys(this.configuration.models[model] ?? {})
    return fields.includes('id') ? ['id'] : this.#scalars(model)
  }

  #scalars(model: string): readonly string[] {
    return this.#fields.get(model) ?? []
  }

  /** A value for a field of an input type; `column` names the family where operators of ids stand. */
  #value(input: Input, depth: number, model: string | undefined, column: string | undefined): unknown {
    const possible = input.inputTypes.filter(
      ({ location, type }) =>
        location === 'scalar' ||
        location === 'enumTypes' ||
        (location === 'inputObjectTypes' && depth > 0 && !/^Json\w*Filter$/.test(type)),
    )
    if (possible.length === 0) return undefined
    const chosen = this.#one(possible)
    const make = () => this.#single(chosen, input, depth, model, column)
    if (!chosen.isList) return make()
    const items = Array.from({ length: 1 + Math.floor(this.random() * 2) }, make)
    return items.filter((item) => item !== undefined)
  }

  #single(
    { location, type }: InputType,
    input: Input,
    depth: number,
    model: string | undefined,
    column: string | undefined,
  ) {
    if (location === 'inputObjectTypes') return this.#object(type, depth - 1, column)
    if (type === 'Null') return null
    if (column !== undefined && ['String', 'Bytes'].includes(type)) return this.#one(this.ids[column] ?? [])
    if (type === 'String') return this.#one(['a', 'b', 'c', `${Math.floor(this.random() * 1e9)}`])
    if (type === 'Int') return Math.floor(this.random() * 4)
    if (type === 'Boolean') return this.random() < 0.5
    return type === 'Json' ? { a: model, name: input.name } : undefined
  }

  #object(name: string, depth: number, column: string | undefined): Record<string, unknown> {
    const type = this.#types.get(name) as InputObject
    const model = type.meta?.grouping ?? type.meta?.source
    const families = (model && this.configuration.models[model]) || {}
    const { minNumFields = 0, fields: least } = type.constraints ?? {}
    const must = new Set<string>()
    if (minNumFields)
      must.add(
        this.#one(least ?? type.fields.map((field) => field.name).filter((field) => !SKIPPED.has(field))),
      )
    // Ids that the extension would generate have no equal on the other side.
    if (/Create/.test(name))
      for (const [field, { generated }] of Object.entries(families)) if (generated) must.add(field)
    const wanted = 2 / type.fields.length
    const object: Record<string, unknown> = {}
    for (const field of type.fields) {
      if (SKIPPED.has(field.name)) continue
      if (!(field.isRequired || must.has(field.name) || this.random() < wanted)) continue
      const value = this.#value(field, depth, model, column ?? families[field.name]?.family.name)
      if (value !== undefined) object[field.name] = value
    }
    return object
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item
  }
}
