import { type Database, IdError, type IdStorage, storageFor } from '@snoflax/core'
import type { Configuration, IdField, ModelConfiguration } from '../configuration.js'
import { refuseAmbiguousNames } from '../names.js'
import { remembering } from './remembering.js'

/** A field that holds ids, made ready. */
export interface IdColumn {
  /** `Order.id` */
  readonly name: string
  readonly field: string
  readonly settings: IdField
  readonly storage: IdStorage<string>
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

/** A model's name as the client writes it: `Order` → `order`. */
export const clientName = (model: string): string => model.charAt(0).toLowerCase() + model.slice(1)

export type Models = ReadonlyMap<string, Model>

/**
 * The models of a configuration, tied together.
 *
 * @throws {IdError} `STORAGE_REFUSED`; `INVALID_OPTION` for a relation to no model, for ambiguous names and for a
 * metabyte where ids have none; `FIELD_OUT_OF_RANGE` for one above 255.
 */
export function connectModels({ database, models: given }: Configuration): Models {
  const models = new Map<string, Model & { relations: Map<string, Model>; relationList: Relation[] }>()
  for (const [name, configuration] of Object.entries(given)) {
    refuseAmbiguousNames(name, [...keys(configuration.ids), ...keys(configuration.relations)])
    const ids = idColumns(name, configuration, database)
    models.set(name, {
      name,
      ids,
      idList: [...ids.values()],
      relations: new Map(),
      relationList: [],
      compounds: new Set(configuration.compounds),
    })
  }
  for (const [name, model] of models) {
    for (const [field, to] of Object.entries(given[name]?.relations ?? {})) {
      const target = models.get(to) ?? refuseTarget(`${name}.${field}`, to)
      model.relations.set(field, target)
      model.relationList.push({ field, target })
    }
  }
  return models
}

const keys = (record: object | undefined): string[] => Object.keys(record ?? {})

function idColumns(model: string, { ids = {} }: ModelConfiguration, database: Database) {
  return new Map(
    Object.entries(ids).map(([field, settings]) => [field, idColumn(model, field, settings, database)]),
  )
}

function idColumn(model: string, field: string, settings: IdField, database: Database): IdColumn {
  const name = `${model}.${field}`
  try {
    checkMeta(settings)
    // Prisma's drivers keep 64 bits exact.
    const storage = storageFor(settings.family, database, { storage: settings.storage, exactBigint: true })
    return { name, field, settings, storage, read: remembering(storage.fromDatabase) }
  } catch (error) {
    throw error instanceof IdError ? error.at(name) : error
  }
}

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

function refuseTarget(field: string, target: string): never {
  throw new IdError('INVALID_OPTION', `${field}: no model ${target} in the configuration`, {
    field: 'relations',
    value: target,
    path: field,
  })
}
