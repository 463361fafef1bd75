import type { Configuration } from '@snoflax/prisma-extension'

export interface InputType {
  readonly type: string
  readonly location: string
  readonly isList: boolean
}

export interface Input {
  readonly name: string
  readonly isRequired: boolean
  readonly inputTypes: readonly InputType[]
}

export interface InputObject {
  readonly name: string
  readonly meta?: { readonly grouping?: string; readonly source?: string }
  readonly constraints?: { readonly minNumFields?: number | null; readonly fields?: readonly string[] }
  readonly fields: readonly Input[]
}

interface OutputObject {
  readonly name: string
  readonly fields: readonly { readonly name: string; readonly args: readonly Input[] }[]
}

export interface DmmfField {
  readonly name: string
  readonly kind: string
  readonly type: string
  readonly isList: boolean
  readonly isRequired: boolean
  readonly isId: boolean
  readonly isUnique: boolean
  readonly relationFromFields?: readonly string[]
}

export interface DmmfModel {
  readonly name: string
  readonly fields: readonly DmmfField[]
  readonly primaryKey: { readonly fields: readonly string[] } | null
  readonly uniqueFields: readonly (readonly string[])[]
}

/** What of Prisma's DMMF the walk needs. */
export interface Dmmf {
  readonly schema: {
    readonly inputObjectTypes: { readonly prisma: readonly InputObject[] }
    readonly outputObjectTypes: {
      readonly prisma: readonly OutputObject[]
      readonly model: readonly OutputObject[]
    }
  }
  readonly datamodel: {
    readonly models: readonly DmmfModel[]
    readonly enums: readonly {
      readonly name: string
      readonly values: readonly { readonly name: string }[]
    }[]
  }
  readonly mappings: { readonly modelOperations: readonly Record<string, string>[] }
}

/** A place in the arguments of a call that takes an id. A key `[]` stands for a list of one. */
export interface ArgumentPath {
  readonly model: string
  readonly operation: string
  readonly keys: readonly string[]
  /** `Order.id` */
  readonly column: string
}

/** What takes a part of an id, or a number that is none. */
const NO_IDS = new Set(['contains', 'startsWith', 'endsWith', 'mode', '_sum', '_avg', '_count'])
const ARITHMETIC = new Set(['increment', 'decrement', 'multiply', 'divide'])
const SCALARS = new Set(['String', 'Bytes', 'BigInt'])

const OPERATIONS: Readonly<Record<string, string>> = {
  createOne: 'create',
  updateOne: 'update',
  deleteOne: 'delete',
  upsertOne: 'upsert',
}

/** Where a walk is: the keys that led there, and the field of ids that it went through, if it did. */
interface Step {
  readonly model: string
  readonly operation: string
  readonly keys: readonly string[]
  readonly column: string | undefined
}

/**
 * Every argument that holds an id: a walk through Prisma's input types. Each kind of argument, as told by the
 * type around it and its own type, is gone into once, by the shortest way, and looked into from wherever it
 * stands.
 */
export function argumentPaths(dmmf: Dmmf, configuration: Configuration): ArgumentPath[] {
  const types = new Map(dmmf.schema.inputObjectTypes.prisma.map((type) => [type.name, type]))
  const found: ArgumentPath[] = []
  const entered = new Set<string>()
  let steps: { step: Step; type: InputObject }[] = []

  for (const [step, args] of calls(dmmf)) for (const arg of args) look(step, arg, undefined)
  while (steps.length > 0) {
    const now = steps
    steps = []
    for (const { step, type } of now) {
      for (const field of type.fields) look(step, field, type)
    }
  }
  return found

  function look(step: Step, input: Input, around: InputObject | undefined): void {
    if (NO_IDS.has(input.name) || ARITHMETIC.has(input.name)) return
    const column = step.column ?? columnOf(around, input.name)
    for (const one of input.inputTypes) {
      const keys = [...step.keys, input.name, ...(one.isList ? ['[]'] : [])]
      const next = { ...step, keys, column }
      if (one.location === 'inputObjectTypes') enter(next, types.get(one.type) as InputObject, around)
      else if (one.location === 'scalar' && SCALARS.has(one.type) && column !== undefined) {
        found.push({ ...next, column })
      }
    }
  }

  function enter(step: Step, type: InputObject, around: InputObject | undefined): void {
    // A filter is entered for each field of ids that it stands at; a model's type once from each other type.
    const kind = step.column ?? around?.name ?? [step.model, step.operation, ...step.keys].join()
    const edge = `${kind} ${step.keys.filter((key) => key !== '[]').at(-1)} ${step.keys.at(-1) === '[]'} ${type.name}`
    if (entered.has(edge)) return
    entered.add(edge)
    steps.push({ step, type })
  }

  function columnOf(around: InputObject | undefined, field: string): string | undefined {
    const model = around && modelOf(around)
    const ids = model === undefined ? undefined : configuration.models[model]
    return ids && field in ids ? `${model}.${field}` : undefined
  }
}

const modelOf = ({ meta }: InputObject): string | undefined => meta?.grouping ?? meta?.source

/** Every call of every model, with its arguments, and those of relations that it selects. */
function calls({ schema, mappings }: Dmmf): [Step, readonly Input[]][] {
  const { prisma: outputs, model: rows } = schema.outputObjectTypes
  const fields = outputs
    .filter(({ name }) => name === 'Query' || name === 'Mutation')
    .flatMap((type) => type.fields)
  return mappings.modelOperations.flatMap(({ model: name = '', ...operations }) => {
    const model = name.charAt(0).toLowerCase() + name.slice(1)
    const own = Object.entries(operations).map(([operation, field]): [Step, readonly Input[]] => [
      { model, operation: OPERATIONS[operation] ?? operation, keys: [], column: undefined },
      fields.find((one) => one.name === field)?.args ?? [],
    ])
    const findMany: Step = { model, operation: 'findMany', keys: [], column: undefined }
    const related = relations(rows, name).flatMap(({ name: relation, args }) =>
      ['select', 'include'].map((word): [Step, readonly Input[]] => [
        { ...findMany, keys: [word, relation] },
        args,
      ]),
    )
    const counted = relations(outputs, `${name}CountOutputType`).map(
      ({ name: relation, args }): [Step, readonly Input[]] => [
        { ...findMany, keys: ['select', '_count', 'select', relation] },
        args,
      ],
    )
    return [...own, ...related, ...counted]
  })
}

const relations = (types: readonly OutputObject[], name: string) =>
  types.find((type) => type.name === name)?.fields.filter(({ args }) => args.length > 0) ?? []
