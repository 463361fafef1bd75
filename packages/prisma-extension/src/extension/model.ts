import { IdError } from '@snoflax/core'
import { checkGenerating, type Library, requireMembers, withPath } from '@snoflax/core/adapter'
import type { IdField } from '../configuration.js'
import type { IdColumn } from './columns.js'

/** A model with its related models. The lists are for fast iteration. */
export interface Model {
  readonly name: string
  readonly fields: ReadonlyMap<string, ClientField>
  readonly ids: ReadonlyMap<string, IdColumn>
  readonly idList: readonly IdColumn[]
  /** Those whose ids are stored in another form, and must be read. */
  readonly converted: readonly IdColumn[]
  readonly relations: ReadonlyMap<string, Model>
  /** Those whose foreign keys it has: Prisma inserts their rows first. */
  readonly parents: readonly string[]
  /** Whether the client refuses values that are undefined. */
  readonly isStrict: boolean
  /** The relations by which such ids can be reached. */
  readonly convertedRelations: readonly (readonly [field: string, target: Model])[]
  /** Computed fields of the extensions before ours. */
  readonly computed: readonly ComputedField[]
}

export type Models = ReadonlyMap<string, Model>

/** A model's name as the client writes it: `Order` → `order`. */
export const clientName = (model: string): string => model.charAt(0).toLowerCase() + model.slice(1)

/** A field in the client's data model. */
export interface ClientField {
  readonly name: string
  readonly kind: string
  readonly type: string
  readonly dbName?: string | null
}

/** A model in the client's data model. */
interface ClientModel {
  readonly dbName?: string | null
  readonly fields: readonly ClientField[]
}

/** Fields that a client omits from every result, by the client's name of the model. */
export type Omitted = Readonly<Record<string, Readonly<Record<string, boolean>> | undefined>>

/** A computed field of an extension. */
interface ComputedField {
  readonly name: string
  readonly needs: readonly string[]
}

/** The non-public members of a client that we read. */
export interface Client {
  readonly _clientVersion?: string
  readonly _globalOmit?: Omitted
  readonly _previewFeatures?: readonly string[]
  readonly _extensions: {
    getAllComputedFields(model: string): Readonly<Record<string, ComputedField>> | undefined
  }
  readonly _runtimeDataModel: {
    readonly models: Readonly<Record<string, ClientModel>>
  }
}

/** Prisma and the client's version, for errors. */
export const libraryOf = ({ _clientVersion: version }: Client): Library => ({
  name: '@prisma/client',
  version,
  supported: '^6.19.0 || ^7.0.0 || ^8.1.0-dev.7',
  by: '@snoflax/prisma-extension',
})

/**
 * The models of a client, linked by their relations, with their columns.
 *
 * @throws {IdError} `INVALID_OPTION` for a column that the client doesn't have and for an ambiguous name;
 * `UNSUPPORTED_VERSION` for a client that lacks a member that the extension needs.
 */
export function connectModels(columns: readonly IdColumn[], client: Client): Models {
  const { _runtimeDataModel: known } = client
  requireMembers(libraryOf(client), [
    { owner: known, name: 'client._runtimeDataModel', members: ['models'] },
    { owner: client._extensions, name: 'client._extensions', members: ['getAllComputedFields'] },
  ])
  const models = new Map<
    string,
    Model & { relations: Map<string, Model>; convertedRelations: [string, Model][] }
  >()
  for (const [name, { fields }] of Object.entries(known.models)) {
    const idList = columns.filter(({ model }) => model === name)
    const computed = Object.values(client._extensions.getAllComputedFields(name) ?? {})
    checkTimeNames([...fields, ...computed], idList)
    models.set(name, {
      name,
      fields: new Map(fields.map((field) => [field.name, field])),
      ids: new Map(idList.map((column) => [column.field, column])),
      idList,
      converted: idList.filter(({ storage }) => storage.converts),
      relations: new Map(),
      parents: idList.flatMap(({ settings }) => settings.relations ?? []),
      isStrict: client._previewFeatures?.includes('strictUndefinedChecks') ?? false,
      convertedRelations: [],
      computed,
    })
  }
  for (const { name, fields, relations } of models.values()) {
    for (const { name: field, kind, type } of fields.values()) {
      if (kind !== 'object') continue
      withPath(`${name}.${field}`, () => checkRelationName(field))
      relations.set(field, models.get(type) as Model)
    }
  }
  checkGenerators(columns, models, known.models)
  const converted = reaching(models)
  for (const model of models.values()) {
    model.convertedRelations = [...model.relations].filter(([, target]) => converted.has(target))
  }
  for (const { name, model, field, storage } of columns) {
    if (storage.name === 'binary' && models.get(model)?.relations.size)
      checkBytes(name, client._clientVersion)
    if (models.get(model)?.fields.has(field)) continue
    const what = models.has(model) ? 'field' : 'model'
    throw new IdError('INVALID_OPTION', `${name}: the client has no such ${what}`, { path: name })
  }
  return models
}

/** Checks that one field generates the ids of a prefix, and that no foreign key generates ids. */
function checkGenerators(
  columns: readonly IdColumn[],
  models: Models,
  known: Client['_runtimeDataModel']['models'],
): void {
  const generating = columns.flatMap(
    ({ name: path, model, field, settings: { generated, family, relations = [] } }) => {
      const own = models.get(model)
      if (!generated || own === undefined) return []
      // Keys that refer to each other in a circle generate ids in one place.
      const target = relations.find((name) => {
        const related = own.relations.get(name)
        return (
          related &&
          !related.parents.some(
            (back) => (related !== own || back !== name) && related.relations.get(back) === own,
          )
        )
      })
      const place = `${known[model]?.dbName ?? model}.${own.fields.get(field)?.dbName ?? field}`
      return { path, place, family, target: target && own.relations.get(target)?.name }
    },
  )
  checkGenerating(generating, () => 'a field without generated')
}

/** The models whose rows, or rows related to them, contain ids in another form. */
function reaching(models: ReadonlyMap<string, Model>): ReadonlySet<Model> {
  const found = new Set([...models.values()].filter(({ converted }) => converted.length > 0))
  for (let size = -1; size < found.size; ) {
    size = found.size
    for (const model of models.values()) {
      if ([...model.relations.values()].some((target) => found.has(target))) found.add(model)
    }
  }
  return found
}

/** Before 7.2, Prisma fails to relate rows by Bytes, and silently disconnects none. */
function checkBytes(path: string, version = ''): void {
  if (!/^(?:6\.|7\.[01]\.)/.test(version)) return
  throw new IdError(
    'UNSUPPORTED_VERSION',
    `${path}: Prisma ${version} can't relate rows by Bytes; use Prisma 7.2 or newer, or String in place of Bytes`,
    { field: 'storage', value: 'binary', path },
  )
}

/**
 * Refuses relations with the names of Prisma's filters of lists, since a client doesn't say which relations are lists.
 *
 * @throws {IdError} `INVALID_OPTION`.
 */
export function checkRelationName(field: string): void {
  if (!['some', 'every', 'none'].includes(field)) return
  throw new IdError(
    'INVALID_OPTION',
    `a relation named ${field} can't be distinguished from Prisma's filter { ${field}: … }; rename the relation`,
    { field },
  )
}

/**
 * Refuses creation times that would hide a field or each other.
 *
 * @throws {IdError} `INVALID_OPTION`.
 */
export function checkTimeNames(
  fields: readonly { readonly name: string }[],
  ids: readonly { readonly name: string; readonly settings: Pick<Partial<IdField>, 'createdAt'> }[],
): void {
  const taken = new Set(fields.map(({ name }) => name))
  for (const { name: path, settings } of ids) {
    const { createdAt } = settings
    if (createdAt === undefined) continue
    if (taken.has(createdAt)) {
      const message = `${path}: the model already has a field ${createdAt}; name the computed one differently, as in createdAt=insertedAt`
      throw new IdError('INVALID_OPTION', message, { field: 'createdAt', value: createdAt, path })
    }
    taken.add(createdAt)
  }
}
