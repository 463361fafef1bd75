import { IdError } from '@snoflax/core'
import type { Model, Models } from './model.js'

/** What a client knows of a model. Not public, and looked into only where it is there. */
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
  const types = new Map(fields.map(({ name: field, type }) => [field, type]))
  for (const field of ids.keys()) {
    if (!types.has(field)) refuse(`${name}.${field}`, 'the client has no such field')
  }
  for (const field of relations.keys()) {
    if (!types.has(field)) refuse(`${name}.${field}`, 'the client has no such relation')
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
