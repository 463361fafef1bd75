import { type Database, IdError, type IdStorage, storageFor } from '@snoflax/core'
import type { Configuration, IdField, ModelConfiguration } from '../configuration.js'
import { refuseAmbiguousNames } from '../names.js'

/** A field that holds ids, made ready. */
export interface IdColumn {
  /** `Order.id` */
  readonly name: string
  readonly field: string
  readonly settings: IdField
  readonly storage: IdStorage<string>
}

/** A model, with the models it is related to. */
export interface Model {
  readonly name: string
  readonly ids: ReadonlyMap<string, IdColumn>
  readonly relations: ReadonlyMap<string, Model>
  readonly compounds: ReadonlySet<string>
}

/** A model's name as the client writes it: `Order` → `order`. */
export const clientName = (model: string): string => model.charAt(0).toLowerCase() + model.slice(1)

export type Models = ReadonlyMap<string, Model>

/**
 * The models of a configuration, tied together.
 *
 * @throws {IdError} `STORAGE_REFUSED`; `INVALID_OPTION` for a relation to no model and for ambiguous names.
 */
export function connectModels({ database, models: given }: Configuration): Models {
  const models = new Map<string, Model & { relations: Map<string, Model> }>()
  for (const [name, configuration] of Object.entries(given)) {
    refuseAmbiguousNames(name, [...keys(configuration.ids), ...keys(configuration.relations)])
    models.set(name, {
      name,
      ids: idColumns(name, configuration, database),
      relations: new Map(),
      compounds: new Set(configuration.compounds),
    })
  }
  for (const [name, model] of models) {
    for (const [field, target] of Object.entries(given[name]?.relations ?? {})) {
      model.relations.set(field, models.get(target) ?? refuseTarget(`${name}.${field}`, target))
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
    // Prisma's drivers keep 64 bits exact.
    const storage = storageFor(settings.family, database, { storage: settings.storage, exactBigint: true })
    return { name, field, settings, storage }
  } catch (error) {
    throw error instanceof IdError ? error.at(name) : error
  }
}

function refuseTarget(field: string, target: string): never {
  throw new IdError('INVALID_OPTION', `${field}: no model ${target} in the configuration`, {
    field: 'relations',
    value: target,
    path: field,
  })
}
