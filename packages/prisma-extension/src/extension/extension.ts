import type { Configuration } from '../configuration.js'
import { mapArguments } from './arguments.js'
import { checkClient, clientName, connectModels, type Generators, type Model } from './model.js'
import { inside, outermost } from './place.js'
import { createdAtFields, type ReadAnswer, readAggregates, readRows } from './result.js'

type Nothing = Record<never, never>

/**
 * An extension for `$extends` that gives fields of results other types: `Types` is model → field → type. They
 * have the form of computed fields, since Prisma knows no other way; at run time there are none.
 */
// biome-ignore lint/suspicious/noExplicitAny: clients of every schema fit
export type Extension<Types> = (client: any) => {
  $extends: {
    extArgs: {
      result: {
        [Model in keyof Types]: {
          // biome-ignore lint/suspicious/noExplicitAny: the row, which only Prisma can type
          [Field in keyof Types[Model]]: () => { needs: Nothing; compute: (row: any) => Types[Model][Field] }
        }
      }
      model: Nothing
      query: Nothing
      client: Nothing
    }
  }
}

/** What makes the ids, where the families' own generators will not do. */
export interface ExtensionOptions {
  /** Generators by the name of their family. Those with a default, flax and sno, may be left out. */
  readonly generators?: Generators
}

/** What Prisma tells of a call. */
interface Call {
  readonly model?: string
  readonly operation: string
  readonly args: unknown
  query(args: unknown): Promise<unknown>
  /** Not public; `order.findUnique(…).lines()` can be told from `findUnique` by nothing else. */
  readonly __internalParams?: { readonly dataPath?: readonly string[] }
}

/** Operations whose answers are numbers, under the names of fields even. */
const NUMBERS = new Set(['count', 'createMany', 'updateMany', 'deleteMany'])

/** How answers are read that are not rows alone. */
const ANSWERS: Readonly<Record<string, ReadAnswer>> = {
  aggregate: readAggregates,
  groupBy: readAggregates,
}

/**
 * The extension for a configuration. The generated module calls it as `snoflax()`; call it yourself with a
 * configuration written by hand.
 *
 * @throws {IdError} `STORAGE_REFUSED`, `INVALID_OPTION` for a configuration that can't be; `GENERATOR_REQUIRED`
 * naming the field, where a family has no generator. The extension that it gives throws `INVALID_OPTION` where
 * the client has other models, fields or relations.
 *
 * @example
 * const id = { family: flax, storage: 'uuid', generated: true } as const
 * const Customer = { ids: { id }, relations: { orders: 'Order' } }
 * const Order = { ids: { id }, relations: { customer: 'Customer' } }
 * const extension = idExtension({ database: 'postgres', models: { Customer, Order } })
 * const prisma = new PrismaClient({ adapter }).$extends(extension)
 */
export function idExtension<Types = Record<never, never>>(
  configuration: Configuration,
  { generators = {} }: ExtensionOptions = {},
): Extension<Types> {
  const models = connectModels(configuration, generators)

  async function run({ model: name, operation, args, query, __internalParams }: Call): Promise<unknown> {
    const model = name === undefined ? undefined : models.get(name)
    if (model === undefined) return query(args)
    const call = outermost(`${clientName(model.name)}.${operation}`)
    const answer = await query(mapArguments(model, operation, args, call))
    if (NUMBERS.has(operation)) return answer
    const answered = relatedBy(model, __internalParams?.dataPath ?? [])
    const read = ANSWERS[operation] ?? readRows
    return answered ? read(answered, answer, inside(call, 'result')) : answer
  }

  const extension = {
    name: 'snoflax',
    query: { $allModels: { $allOperations: run } },
    result: createdAtFields(models),
  }
  return ((client: { $extends(extension: unknown): unknown }) => {
    checkClient(models, client)
    return client.$extends(extension)
  }) as Extension<Types>
}

/** The model at the end of a chain of calls, which Prisma writes as `['select', 'orders', 'select', 'lines']`. */
function relatedBy(model: Model, dataPath: readonly string[]): Model | undefined {
  return dataPath
    .filter((_, index) => index % 2 === 1)
    .reduce<Model | undefined>((reached, field) => reached?.relations.get(field), model)
}
