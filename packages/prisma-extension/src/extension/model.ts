import {
  type Database,
  IdError,
  type IdGenerator,
  type IdStorage,
  isSameFamily,
  storageFor,
} from '@snoflax/core'
import type { AnyFamily, Configuration, IdField } from '../configuration.js'
import { refuseAmbiguousNames } from '../names.js'
import { withPath } from './place.js'

/** A field that holds ids, made ready. */
export interface IdColumn {
  /** `Order.id` */
  readonly name: string
  readonly field: string
  readonly settings: IdField
  readonly storage: IdStorage<string>
  /** A new id; undefined where the extension makes none. */
  readonly generate: (() => string) | undefined
  /** Database value → id. */
  read(value: unknown): unknown
}

/** A field that leads to a model. */
export interface Relation {
  readonly field: string
  readonly target: Model
}

/** A model, with the models it is related to. The lists are what the maps hold, to be walked fast. */
export interface Model {
  readonly name: string
  readonly ids: ReadonlyMap<string, IdColumn>
  readonly idList: readonly IdColumn[]
  readonly relations: ReadonlyMap<string, Model>
  readonly relationList: readonly Relation[]
  readonly compounds: ReadonlySet<string>
}

export type Models = ReadonlyMap<string, Model>

/** Generators by the name of their family. */
// biome-ignore lint/suspicious/noExplicitAny: a generator of any family's ids
export type Generators = Readonly<Record<string, IdGenerator<any> | undefined>>

/** A model's name as the client writes it: `Order` → `order`. */
export const clientName = (model: string): string => model.charAt(0).toLowerCase() + model.slice(1)

/**
 * The models of a configuration, tied together; with generators they make ids.
 *
 * @throws {IdError} `STORAGE_REFUSED`; `INVALID_OPTION` for a relation to no model, for ambiguous names, for a
 * metabyte where ids have none, for a generator of another family and for one that no field needs;
 * `FIELD_OUT_OF_RANGE` for a metabyte above 255; `GENERATOR_REQUIRED`.
 */
export function connectModels({ database, models: given }: Configuration, generators?: Generators): Models {
  const models = new Map<string, Model & { relations: Map<string, Model>; relationList: Relation[] }>()
  for (const [name, { ids: fields = {}, relations = {}, compounds }] of Object.entries(given)) {
    refuseAmbiguousNames(name, [...Object.keys(fields), ...Object.keys(relations)])
    const idList = Object.entries(fields).map(([field, settings]) =>
      idColumn(`${name}.${field}`, field, settings, database, generators),
    )
    models.set(name, {
      name,
      ids: new Map(idList.map((column) => [column.field, column])),
      idList,
      relations: new Map(),
      relationList: [],
      compounds: new Set(compounds),
    })
  }
  for (const [name, { relations, relationList }] of models) {
    for (const [field, to] of Object.entries(given[name]?.relations ?? {})) {
      const target = models.get(to) ?? refuse(`${name}.${field}`, `no model ${to} in the configuration`)
      relations.set(field, target)
      relationList.push({ field, target })
    }
  }
  if (generators)
    refuseUnused(
      [...models.values()].flatMap(({ idList }) => idList),
      generators,
    )
  return models
}

const idColumn = (
  name: string,
  field: string,
  settings: IdField,
  database: Database,
  generators: Generators | undefined,
): IdColumn =>
  withPath(name, () => {
    const { family, meta, generated } = settings
    checkMeta(settings)
    // Prisma's drivers keep 64 bits exact.
    const storage = storageFor(family, database, { storage: settings.storage, exactBigint: true })
    const generate =
      generated && generators ? () => generatorOf(family, generators[family.name]).generate(meta) : undefined
    if (generate) generatorOf(family, generators?.[family.name])
    return { name, field, settings, storage, generate, read: remembering(storage.fromDatabase) }
  })

/** Refuses a metabyte that no id can have now, rather than at the first create. */
function checkMeta({ family, meta }: IdField): void {
  if (meta === undefined) return
  if ('withMeta' in family) (family as unknown as MetaFamily).withMeta(family.min, meta)
  else {
    throw new IdError('INVALID_OPTION', `${family.name}: its ids carry no metabyte`, {
      family: family.name,
      field: 'meta',
      value: meta,
    })
  }
}

/** A family whose ids carry a byte of the user's own. */
interface MetaFamily {
  withMeta(id: string, meta: number): string
}

function generatorOf(family: AnyFamily, given: Generators[string]): { generate(meta?: number): string } {
  if (given !== undefined && !isSameFamily(given.family, family)) {
    throw new IdError(
      'INVALID_OPTION',
      `the generator given for ${family.name} makes ids of another family`,
      {
        family: family.name,
        field: 'generators',
        value: given,
      },
    )
  }
  const maker = given ?? ('generate' in family ? family : undefined)
  if (maker) return maker as { generate(meta?: number): string }
  const example = family.generatorExample ?? `an IdGenerator of ${family.name}`
  throw new IdError(
    'GENERATOR_REQUIRED',
    `${family.name} has no generator of its own; give snoflax({ generators: { ${family.name}: ${example} } })`,
    { family: family.name },
  )
}

function refuseUnused(columns: readonly IdColumn[], given: Generators): void {
  const families = new Set(
    columns.filter(({ generate }) => generate).map(({ settings }) => settings.family.name),
  )
  for (const name of Object.keys(given)) {
    if (families.has(name)) continue
    const others = families.size > 0 ? `only of ${[...families].join(', ')}` : 'nor any others'
    throw new IdError('INVALID_OPTION', `generators: no ids of ${name} are made, ${others}`, {
      family: name,
      field: 'generators',
      value: given[name],
    })
  }
}

/** Neighbouring rows often refer to the same row, and to compare a value is quicker than to read it. */
function remembering(read: (value: unknown) => unknown): (value: unknown) => unknown {
  let last: unknown = null
  let id: unknown = null
  return (value) => {
    if (value !== last) {
      id = read(value)
      last = value
    }
    return id
  }
}

/** What a client knows of a model. Not public. */
interface ClientModel {
  readonly fields: readonly { readonly name: string; readonly kind: string; readonly type: string }[]
}

/**
 * Refuses a configuration that is not that of the client: beyond a relation that it doesn't know, ids would
 * be taken for other values, and nobody would notice.
 *
 * @throws {IdError} `INVALID_OPTION` naming model and field.
 */
export function checkClient(models: Models, client: unknown): void {
  const { _runtimeDataModel: known } = client as {
    _runtimeDataModel?: { models: Readonly<Record<string, ClientModel>> }
  }
  if (known === undefined) return
  for (const model of models.values()) {
    checkModel(model, known.models[model.name] ?? refuse(model.name, 'the client has no model of that name'))
  }
}

function checkModel({ name, ids, relations }: Model, { fields }: ClientModel): void {
  const names = new Set(fields.map(({ name: field }) => field))
  for (const field of ids.keys()) {
    if (!names.has(field)) refuse(`${name}.${field}`, 'the client has no such field')
  }
  for (const field of relations.keys()) {
    if (!names.has(field)) refuse(`${name}.${field}`, 'the client has no such relation')
  }
  for (const { name: field, kind, type } of fields) {
    if (kind === 'object') checkRelation(`${name}.${field}`, field, type, relations.get(field))
  }
}

function checkRelation(path: string, field: string, type: string, target: Model | undefined): void {
  if (target === undefined) {
    refuse(
      path,
      `the client has this relation, the configuration does not; add ${field}: '${type}' to its relations`,
    )
  }
  if (target.name !== type) {
    refuse(path, `the client leads to ${type}, the configuration to ${target.name}`)
  }
}

function refuse(path: string, reason: string): never {
  throw new IdError('INVALID_OPTION', `${path}: ${reason}`, { path })
}
