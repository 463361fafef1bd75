import { type Database, IdError, type IdStorage, storageFor } from '@snoflax/core'
import {
  checkGeneratorNames,
  checkMeta,
  type IdSource,
  idSource,
  type Library,
  requireMembers,
  withPath,
} from '@snoflax/core/adapter'
import type { Configuration, IdField } from '../configuration.js'

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
  /** All fields, as the client knows them. */
  fields: Fields
}

/** A field as the client knows it. */
export interface ClientField {
  readonly name: string
  readonly kind: string
  readonly type: string
}

export type Fields = ReadonlyMap<string, ClientField>

export type Models = ReadonlyMap<string, Model>

/** What generates ids, by the name of their family. */
// biome-ignore lint/suspicious/noExplicitAny: sources of every family's ids
export type Generators = Readonly<Record<string, IdSource<any> | undefined>>

/** A model's name as the client writes it: `Order` → `order`. */
export const clientName = (model: string): string => model.charAt(0).toLowerCase() + model.slice(1)

/**
 * The models of a configuration, tied together; with generators they make ids.
 *
 * @throws {IdError} `STORAGE_REFUSED`; `INVALID_OPTION` for a relation to no model or with
 * an ambiguous name, for a metabyte where ids have none, for a generator of another family and for one that no field needs;
 * `FIELD_OUT_OF_RANGE` for a metabyte above 255; `GENERATOR_REQUIRED`.
 */
export function connectModels({ database, models: given }: Configuration, generators?: Generators): Models {
  const models = new Map<string, Model & { relations: Map<string, Model>; relationList: Relation[] }>()
  for (const [name, { ids = {}, compounds }] of Object.entries(given)) {
    const idList = Object.entries(ids).map(([field, settings]) =>
      idColumn(`${name}.${field}`, field, settings, database, generators),
    )
    models.set(name, {
      name,
      ids: new Map(idList.map((column) => [column.field, column])),
      idList,
      relations: new Map(),
      relationList: [],
      compounds: new Set(compounds),
      fields: new Map(),
    })
  }
  for (const [name, { relations, relationList }] of models) {
    for (const [field, to] of Object.entries(given[name]?.relations ?? {})) {
      const path = `${name}.${field}`
      withPath(path, () => checkRelationName(field))
      const target = models.get(to) ?? refuse(path, `no model ${to} in the configuration`)
      relations.set(field, target)
      relationList.push({ field, target })
    }
  }
  if (generators) {
    const columns = [...models.values()].flatMap(({ idList }) => idList)
    const generated = columns.filter(({ generate }) => generate).map(({ settings }) => settings.family)
    checkGeneratorNames(generators, generated)
  }
  return models
}

/**
 * Refuses the words by which lists of related rows are filtered: a client doesn't tell which relations are lists.
 *
 * @throws {IdError} `INVALID_OPTION`.
 */
export function checkRelationName(field: string): void {
  if (!['some', 'every', 'none'].includes(field)) return
  throw new IdError(
    'INVALID_OPTION',
    `a filter by ${field} on related rows and this relation look alike; give the relation another name`,
    { field },
  )
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
    checkMeta(family, meta)
    // Prisma's drivers keep 64 bits exact.
    const storage = storageFor(family, database, { storage: settings.storage, exactBigint: true })
    const usage = (example: string) => `snoflax({ generators: { ${family.name}: ${example} } })`
    const generate =
      generated && generators
        ? idSource({ family, generator: generators[family.name], meta, usage })
        : undefined
    return { name, field, settings, storage, generate, read: remembering(storage.fromDatabase) }
  })

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

/** Fields that a client leaves out of every answer, by model as the client writes it. */
export type Omitted = Readonly<Record<string, Readonly<Record<string, boolean>> | undefined>>

/** What a client knows of its models. Not public. */
export interface Client {
  readonly _clientVersion?: string
  readonly _globalOmit?: Omitted
  readonly _runtimeDataModel: {
    readonly models: Readonly<Record<string, { readonly fields: readonly ClientField[] }>>
  }
}

/**
 * Takes the fields from the client, and refuses a configuration that is not the client's: beyond a relation that it doesn't know, ids would
 * be taken for other values, and nobody would notice.
 *
 * @throws {IdError} `INVALID_OPTION` naming model and field; `UNSUPPORTED_VERSION` for a client that lacks what
 * the extension relies on.
 */
export function checkClient(models: Models, client: Client): void {
  const { _runtimeDataModel: known } = client
  requireMembers(libraryOf(client), [{ owner: known, name: 'client._runtimeDataModel', members: ['models'] }])
  for (const model of models.values()) {
    const { fields } = known.models[model.name] ?? refuse(model.name, 'the client has no model of that name')
    model.fields = new Map(fields.map((field) => [field.name, field]))
    checkModel(model)
  }
}

/** The client's version of Prisma, for what checks that it has what the extension relies on. */
export const libraryOf = ({ _clientVersion: version }: Client): Library => ({
  name: '@prisma/client',
  version,
  supported: '^7.10',
  by: '@snoflax/prisma-extension',
})

function checkModel({ name, ids, relations, fields }: Model): void {
  for (const field of ids.keys()) {
    if (!fields.has(field)) refuse(`${name}.${field}`, 'the client has no such field')
  }
  for (const field of relations.keys()) {
    if (!fields.has(field)) refuse(`${name}.${field}`, 'the client has no such relation')
  }
  for (const { name: field, kind, type } of fields.values()) {
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
