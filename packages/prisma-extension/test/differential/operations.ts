import type { Configuration } from '@snoflax/prisma-extension'
import type { Dmmf, DmmfField, DmmfModel, Input, InputObject, InputType } from '../shop/argument-paths.js'

/** A call of a client. */
export interface Call {
  readonly model: string
  readonly operation: string
  readonly args: Record<string, unknown>
  /** Relations behind the call: `order.findUnique(…).customer().orders()`. */
  readonly chain: readonly string[]
}

/** The values that calls take: ids by family, and moments of the same number. */
export interface Values {
  readonly ids: Readonly<Record<string, readonly string[]>>
  readonly days: readonly Date[]
}

type Random = () => number

const OPERATIONS: Readonly<Record<string, string>> = {
  createOne: 'create',
  updateOne: 'update',
  deleteOne: 'delete',
  upsertOne: 'upsert',
}
const DEPTH = 3
/** Rows of each model that are there before the calls. */
const ROWS = 4
/** What is made apart, or is another type's. */
const SKIPPED = new Set([
  ...'orderBy cursor distinct take skip limit having by _min _max _sum _avg'.split(' '),
  ...'increment decrement multiply divide mode note'.split(' '),
])
const TEXTS = ['a', 'b', 'c', 'd']

/** Random calls: every operation of Prisma's DMMF, with arguments by its input types to a depth of three. */
export class Operations {
  readonly #types: ReadonlyMap<string, InputObject>
  readonly #models: ReadonlyMap<string, DmmfModel>
  readonly #enums: ReadonlyMap<string, readonly string[]>
  readonly #calls: readonly { model: string; operation: string; args: readonly Input[] }[]

  constructor(
    private readonly dmmf: Dmmf,
    private readonly configuration: Configuration,
    private readonly values: Values,
    private readonly random: Random,
  ) {
    this.#types = new Map(dmmf.schema.inputObjectTypes.prisma.map((type) => [type.name, type]))
    this.#models = new Map(dmmf.datamodel.models.map((model) => [model.name, model]))
    this.#enums = new Map(
      dmmf.datamodel.enums.map(({ name, values }) => [name, values.map((value) => value.name)]),
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

  /** Calls that make some rows of every model, those that others need first. Optional foreign keys stay empty. */
  rows(): Call[] {
    const done = new Set<string>()
    const calls: Call[] = []
    let waiting = this.dmmf.datamodel.models.filter(({ name }) =>
      this.#calls.some(({ model, operation }) => model === name && operation === 'createMany'),
    )
    while (waiting.length > 0) {
      const ready = waiting.filter((model) => neededBy(model).every((name) => done.has(name)))
      if (ready.length === 0) throw new Error(`models need each other: ${waiting.map(({ name }) => name)}`)
      for (const model of ready) {
        done.add(model.name)
        const data = Array.from({ length: ROWS }, (_, index) => this.#row(model, index))
        calls.push({ model: model.name, operation: 'createMany', args: { data }, chain: [] })
      }
      waiting = waiting.filter(({ name }) => !done.has(name))
    }
    return calls
  }

  #row({ name, fields }: DmmfModel, index: number): object {
    const empty = new Set(
      fields.flatMap(({ relationFromFields = [] }) =>
        relationFromFields.filter((key) => !fields.find((field) => field.name === key)?.isRequired),
      ),
    )
    const families = this.configuration.models[name] ?? {}
    const passed = fields.filter(({ kind, isList, ...field }) => {
      return kind !== 'object' && !isList && !empty.has(field.name)
    })
    return Object.fromEntries(
      passed.map((field) => {
        const family = families[field.name]?.family.name
        const values = this.#enums.get(field.type)
        const value = family
          ? this.values.ids[family]?.[index]
          : values
            ? values[index % values.length]
            : this.#scalar(field.type, index)
        return [field.name, value]
      }),
    )
  }

  next(only?: string): Call {
    if (only === undefined && this.random() < 0.08) return this.#chain()
    const possible = only ? this.#calls.filter(({ operation }) => operation === only) : this.#calls
    const { model, operation, args } = this.#one(possible)
    const passed: Record<string, unknown> = {}
    for (const arg of args) {
      if (SKIPPED.has(arg.name) || !(arg.isRequired || this.random() < 0.8)) continue
      const value = this.#value(arg, DEPTH, model, undefined)
      if (value !== undefined) passed[arg.name] = value
    }
    return { model, operation, args: { ...passed, ...this.#shape(model, operation, args) }, chain: [] }
  }

  #chain(): Call {
    const { model, args } = this.#one(this.#calls.filter(({ operation }) => operation === 'findUnique'))
    const where = this.#value(args.find(({ name }) => name === 'where') as Input, DEPTH, model, undefined)
    const chain: string[] = []
    let at: string | undefined = model
    while (at !== undefined && chain.length < 3) {
      const relations = this.#relations(at)
      if (relations.length === 0) break
      const { name, type, isList } = this.#one(relations)
      chain.push(name)
      at = isList || this.random() < 0.3 ? undefined : type
    }
    return { model, operation: 'findUnique', args: { where }, chain }
  }

  #shape(model: string, operation: string, args: readonly Input[]): object {
    if (operation === 'groupBy') return this.#groups(model, args)
    if (operation === 'aggregate') return { _count: { _all: true } }
    const key = this.#keyOf(model)
    if (operation === 'count')
      return this.random() < 0.3 ? { select: { _all: true, [key[0] ?? '']: true } } : {}
    if (/Many/.test(operation) && operation !== 'findMany') {
      // A limit that leaves rows out leaves open which: nothing orders them.
      return args.some(({ name }) => name === 'limit') ? this.#maybe('limit', 0.3, () => 1000) : {}
    }
    const orderBy = key.map((field) => ({ [field]: this.random() < 0.8 ? 'asc' : 'desc' }))
    const isList = operation === 'findMany'
    return {
      ...this.#selection(model, 2),
      ...(/^findFirst|^findMany/.test(operation) && {
        orderBy,
        ...this.#maybe('cursor', 0.2, () => this.#cursor(args, model)),
        ...this.#maybe('distinct', 0.1, () => [this.#one(this.#scalars(model))]),
        ...(isList && this.#maybe('take', 0.3, () => 1 + Math.floor(this.random() * 3))),
        ...this.#maybe('skip', 0.15, () => 1),
      }),
    }
  }

  #cursor(args: readonly Input[], model: string): unknown {
    // Without a key, the order leaves open what follows a row.
    const hasKey = this.#keyOf(model).length < this.#scalars(model).length
    const cursor = args.find(({ name }) => name === 'cursor')
    return cursor && hasKey ? this.#value(cursor, 1, model, undefined) : undefined
  }

  #groups(model: string, args: readonly Input[]): object {
    const keys = Object.keys(this.configuration.models[model] ?? {}).filter((key) =>
      this.#scalars(model).includes(key),
    )
    const by = this.#one(keys.length > 0 ? keys : this.#scalars(model))
    const [type] = args.find(({ name }) => name === 'having')?.inputTypes ?? []
    const input = type && this.#types.get(type.type)?.fields.find(({ name }) => name === by)
    const family = this.configuration.models[model]?.[by]?.family.name
    const having = () => {
      const value = input && this.#value(input, 2, model, family)
      return value === undefined ? undefined : { [by]: value }
    }
    return { by: [by], _count: { _all: true }, ...this.#maybe('having', 0.5, having) }
  }

  #maybe(key: string, chance: number, make: () => unknown): object {
    const value = this.random() < chance ? make() : undefined
    return value === undefined ? {} : { [key]: value }
  }

  /** `include`, `select` or `omit`. */
  #selection(model: string, depth: number): object {
    const relations = this.#relations(model).filter(() => this.random() < 0.4)
    const related = depth === 0 ? [] : relations.map((field) => [field.name, this.#related(field, depth - 1)])
    const scalars = this.#scalars(model).filter(() => this.random() < 0.5)
    const names = scalars.map((name) => [name, true])
    const lists = this.#relations(model).filter(({ isList }) => isList)
    const counts = lists.length > 0 && this.random() < 0.2 ? [['_count', true]] : []
    const which = this.random()
    if (which < 0.2 && names.length > 0)
      return { select: Object.fromEntries([...names, ...related, ...counts]) }
    return {
      ...(which < 0.3 && names.length > 0 && { omit: Object.fromEntries(names) }),
      ...(related.length + counts.length > 0 && { include: Object.fromEntries([...related, ...counts]) }),
    }
  }

  #related({ type, isList }: DmmfField, depth: number): unknown {
    const where = this.#types.get(`${type}WhereInput`)
    const selection = {
      ...this.#selection(type, depth),
      ...(isList && where && this.#maybe('where', 0.3, () => this.#object(where.name, 2, undefined))),
    }
    return Object.keys(selection).length > 0 ? selection : true
  }

  #relations(model: string): DmmfField[] {
    return this.#models.get(model)?.fields.filter(({ kind }) => kind === 'object') ?? []
  }

  #keyOf(model: string): readonly string[] {
    const { fields, primaryKey, uniqueFields } = this.#models.get(model) as DmmfModel
    const id = fields.find(({ isId }) => isId) ?? fields.find((field) => field.isUnique && field.isRequired)
    if (id) return [id.name]
    const isRequired = (names: readonly string[]) =>
      names.every((name) => fields.find((field) => field.name === name)?.isRequired)
    return primaryKey?.fields ?? uniqueFields.find(isRequired) ?? this.#scalars(model)
  }

  #scalars(model: string): readonly string[] {
    const fields = this.#models.get(model)?.fields ?? []
    return fields
      .filter(({ kind, type, isList }) => kind === 'scalar' && type !== 'Json' && !isList)
      .map(({ name }) => name)
  }

  /** A value for a field of an input type; `column` names the family where operators of ids stand. */
  #value(input: Input, depth: number, model: string | undefined, column: string | undefined): unknown {
    const possible = input.inputTypes.filter(
      ({ location, type }) =>
        location === 'scalar' ||
        (location === 'enumTypes' && this.#enums.has(type)) ||
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
    if (location === 'enumTypes') return this.#one(this.#enums.get(type) ?? [])
    if (type === 'Null') return null
    if (column !== undefined && ['String', 'Bytes', 'BigInt'].includes(type))
      return this.#one(this.values.ids[column] ?? [])
    if (type === 'Json') return { a: model, name: input.name }
    if (type === 'String' && this.random() < 0.2) return `${Math.floor(this.random() * 1e9)}`
    return this.#scalar(type, Math.floor(this.random() * ROWS))
  }

  #scalar(type: string, index: number): unknown {
    switch (type) {
      case 'String':
        return TEXTS[index]
      case 'Int':
        return index + 1
      case 'Float':
        return index + 0.5
      case 'Decimal':
        return `${index}.5`
      case 'BigInt':
        return BigInt(index)
      case 'Boolean':
        return index % 2 === 0
      case 'DateTime':
        return this.values.days[index]
      case 'Bytes':
        return Uint8Array.of(index)
      case 'Json':
        return { index }
      default:
        return undefined
    }
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

/** Models whose rows must be there before a model's own. */
const neededBy = ({ name, fields }: DmmfModel): string[] =>
  fields
    .filter(({ relationFromFields = [] }) =>
      relationFromFields.length > 0
        ? relationFromFields.every((key) => fields.find((field) => field.name === key)?.isRequired)
        : false,
    )
    .map(({ type }) => type)
    .filter((type) => type !== name)
