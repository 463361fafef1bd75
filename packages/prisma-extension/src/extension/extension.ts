import { IdError } from '@snoflax/core'
import {
  type CanBeKey,
  checkOptions,
  type FoundRow,
  findRow,
  type Library,
  requireMembers,
} from '@snoflax/core/adapter'
import type { Configuration } from '../configuration.js'
import { mapArguments, mapCreation, type Rule } from './arguments.js'
import { columnsOf, type Generators, type IdColumn } from './columns.js'
import { addTimes, selectTimes, type Times } from './created-at.js'
import { type Client, clientName, connectModels, libraryOf, type Model, type Models } from './model.js'
import { inside, outermost, withPlace } from './place.js'
import { type ReadAnswer, readAggregates, readRows } from './result.js'

type Nothing = Record<never, never>

/**
 * An extension for `$extends` that replaces the types of fields in results: `Types` is model → field → type. To the
 * compiler they are computed fields, since Prisma offers nothing else; at run time there are none. `Keys` is model → id.
 */
// biome-ignore lint/suspicious/noExplicitAny: clients of every schema fit
export type Extension<Types, Keys = Readonly<Record<string, string>>> = (client: any) => {
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
      client: { $find: () => Find<Keys> }
    }
  }
}

/**
 * The row that has an id, with its model and key as the schema names them; null if none has it. `also` has the other rows
 * with the id, ten at most, of the same model or of others. Fields that can have the id are asked one by one, those of
 * foreign keys last.
 *
 * @throws {IdError} for a malformed id.
 *
 * @example
 * const found = await prisma.$find(id)
 * found?.model // 'Order'
 */
export type Find<Keys> = <Client, AnId extends string>(
  this: Client,
  id: AnId,
) => Promise<Found<Client, Keys, AnId> | null>

/** The row of an id, of the models whose key it can be. */
export type Found<Client, Keys, AnId extends string> = {
  [Model in keyof Keys & string]: CanBeKey<AnId, Keys[Model] & string> extends true
    ? FoundRow<Model, RowOf<Client, Uncapitalize<Model>>>
    : never
}[keyof Keys & string]

type RowOf<Client, Name extends string> = Client extends {
  readonly [Each in Name]: { findUniqueOrThrow(...args: never): PromiseLike<infer Row> }
}
  ? Row
  : Record<string, unknown>

/** Options of {@link idExtension}. */
export interface ExtensionOptions {
  /** Generators by family name. Families with a default generator, such as flax and sno, may be omitted. */
  readonly generators?: Generators
}

/** A call, as Prisma passes it to extensions. */
interface Call {
  readonly model?: string
  readonly operation: string
  readonly args: unknown
  query(args: unknown): Promise<unknown>
  /** Not public, but the only difference between `order.findUnique(…).lines()` and `findUnique`. */
  readonly __internalParams: { readonly dataPath: readonly string[] }
}

type Row = Record<string, unknown>

/** What a client finds rows by. */
interface Finder {
  readonly [model: string]: {
    findUnique(args: object): PromiseLike<Row | null>
    findMany(args: object): PromiseLike<Row[]>
  }
}

/** How an operation maps ids in its arguments, and reads those in its result, unless that is a number. */
interface Operation {
  readonly map: Rule
  readonly read?: ReadAnswer
}

const OF_ROWS: Operation = { map: mapArguments, read: readRows }
const OF_NEW_ROWS: Operation = { map: mapCreation, read: readRows }
const OF_NUMBERS: Operation = { map: mapArguments }
const OF_AGGREGATES: Operation = { map: mapArguments, read: readAggregates }

const OPERATIONS: Readonly<Record<string, Operation>> = {
  findUnique: OF_ROWS,
  findUniqueOrThrow: OF_ROWS,
  findFirst: OF_ROWS,
  findFirstOrThrow: OF_ROWS,
  findMany: OF_ROWS,
  create: OF_NEW_ROWS,
  createMany: { map: mapCreation },
  createManyAndReturn: OF_NEW_ROWS,
  update: OF_ROWS,
  updateMany: OF_NUMBERS,
  updateManyAndReturn: OF_ROWS,
  upsert: OF_ROWS,
  delete: OF_ROWS,
  deleteMany: OF_NUMBERS,
  count: OF_NUMBERS,
  aggregate: OF_AGGREGATES,
  groupBy: OF_AGGREGATES,
}

/**
 * The extension for a configuration that you write by hand. With the generator, call `snoflax()` of the generated module
 * instead.
 *
 * @throws {IdError} `STORAGE_REFUSED`, `INVALID_OPTION` for an invalid configuration; `GENERATOR_REQUIRED`, naming the
 * field, if a family has no generator. `$extends` throws `INVALID_OPTION` if the client lacks a model or field, and
 * `UNSUPPORTED_VERSION` for a version of Prisma that the extension can't work with.
 *
 * @example
 * const id = { family: flax, storage: 'uuid', generated: true } as const
 * const customerId = { family: flax, storage: 'uuid' } as const
 * const models = { Customer: { id }, Order: { id, customerId } }
 * const extension = idExtension({ database: 'postgres', models })
 * const prisma = new PrismaClient({ adapter }).$extends(extension)
 */
export function idExtension<Types = Record<never, never>, Keys = Readonly<Record<string, string>>>(
  configuration: Configuration,
  options: ExtensionOptions = {},
): Extension<Types, Keys> {
  const { generators = {} } = checkOptions('snoflax', options, { generators: 'any' })
  const columns = columnsOf(configuration, generators)
  const keys = keysIn(columns)
  return ((client: Client & { $extends(extension: unknown): unknown }) => {
    const models = connectModels(columns, client)
    const run = (call: Call) => runCall(models, client, call)
    return client.$extends({
      name: 'snoflax',
      query: { $allModels: { $allOperations: run } },
      client: {
        // Within a transaction it is that of the transaction.
        $find(this: Finder, id: string) {
          return findRow(keys, id, async ({ model, column, key }, limit) => {
            const rows = this[clientName(model)] as Finder[string]
            const where = { [column]: id }
            if (key === 'shared') return rows.findMany({ where, take: limit })
            // Prisma sends those of one tick together.
            const row = await rows.findUnique({ where })
            return row == null ? [] : [row]
          })
        },
      },
    })
  }) as never
}

/** The fields that `$find` asks, foreign keys after the keys that they refer to. */
function keysIn(columns: readonly IdColumn[]) {
  const keys = columns.filter(({ settings }) => settings.key)
  const isForeign = ({ settings: { generated, relations } }: IdColumn) => !generated && !!relations?.length
  const ordered = [...keys.filter((key) => !isForeign(key)), ...keys.filter(isForeign)]
  return ordered.map(({ model, field: column, settings: { key }, storage: { family } }) => ({
    model,
    column,
    key,
    family,
  }))
}

/** Answers that have ids already: an extension after ours may keep them, and hand them out again. */
const finished = new WeakSet<object>()

async function runCall(models: Models, client: Client, call: Call): Promise<unknown> {
  const { model: name, operation, args, query, __internalParams } = call
  const model = name === undefined ? undefined : models.get(name)
  if (model === undefined) return query(args)
  const library = libraryOf(client)
  requireMembers(library, [{ owner: __internalParams, name: '__internalParams', members: ['dataPath'] }])
  const { map, read } = OPERATIONS[operation] ?? refuseOperation(library, operation)
  const place = outermost(`${clientName(model.name)}.${operation}`)
  const selected: { args: unknown; times?: Times } =
    read === readRows ? selectTimes(model, args, client._globalOmit ?? {}) : { args }
  const answer = await query(map(model, selected.args, place))
  // A chain of calls, such as `['select', 'orders', 'select', 'lines']`, returns rows of its last relation.
  const chain = __internalParams.dataPath.filter((_, index) => index % 2 === 1)
  const answered = chain.reduce<Model | undefined>((reached, field) => reached?.relations.get(field), model)
  const isWithoutRow = answer === null || Array.isArray(answer)
  if (isWithoutRow && chain.length === 0 && (operation === 'create' || operation === 'upsert')) {
    withPlace(model.name, place, refuseUnanswered)
  }
  if (read === undefined || answered === undefined) return answer
  if (typeof answer !== 'object' || answer === null) return answer
  const { converted, convertedRelations } = answered
  const times = chain.reduce((reached, field) => reached?.related.get(field), selected.times)
  const isStored = converted.length + convertedRelations.length > 0
  if (!isStored && times === undefined) return answer
  if (isStored && !finished.has(answer)) read(answered, answer, inside(place, 'result'))
  if (times) addTimes(times, answer)
  finished.add(answer)
  return answer
}

/** MySQL and MariaDB don't return the ids that they generate, so Prisma can't read the row back. */
function refuseUnanswered(): never {
  throw new IdError(
    'INVALID_OPTION',
    "the row was written, but the database generated its id, and Prisma can't read it back; leave out generate=database, " +
      'so that the extension generates ids, or use createMany',
    { field: 'generate', value: 'database' },
  )
}

function refuseOperation({ name, version, by }: Library, operation: string): never {
  throw new IdError(
    'UNSUPPORTED_VERSION',
    `the operation ${operation} of ${name} ${version} is unknown to this version of ${by}; install a newer ${by}`,
    { field: 'operation', value: operation },
  )
}
