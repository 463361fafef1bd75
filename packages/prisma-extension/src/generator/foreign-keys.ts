import type { Database } from '@snoflax/core'
import { fitStorage } from './column.js'
import type { IdComment } from './comment.js'
import { isEmptyDefault } from './default.js'
import type { FoundField } from './id-fields.js'
import { refuse } from './refuse.js'
import { nameOf, type PrismaField, type PrismaModel } from './schema.js'

/** A field, and the model that has it. */
export interface Reference {
  readonly model: PrismaModel
  readonly field: PrismaField
}

/** Foreign key → the fields that it refers to, by `Order.customerId`; not those that the schema ignores. */
export function foreignKeys(models: readonly PrismaModel[]): ReadonlyMap<string, readonly Reference[]> {
  const byName = new Map(models.map((model) => [model.name, model]))
  const targets = new Map<string, Reference[]>()
  for (const model of models) {
    for (const { type, relationFromFields = [], relationToFields = [] } of model.fields) {
      for (const [index, from] of relationFromFields.entries()) {
        const target = byName.get(type) as PrismaModel
        const field = target.fields.find(({ name }) => name === relationToFields[index])
        if (field === undefined) continue
        const name = nameOf(model, from)
        targets.set(name, [...(targets.get(name) ?? []), { model: target, field }])
      }
    }
  }
  return targets
}

/** A foreign key is what its target is. A comment may say so once more, and add a computed field. */
export function foreignKey(
  { model, field }: Reference,
  comment: IdComment | undefined,
  [target, ...others]: readonly FoundField[],
  database: Database,
): FoundField {
  const { found, storage: wanted, comment: its } = target as FoundField
  const name = nameOf((target as FoundField).model, (target as FoundField).field)
  for (const other of others) {
    if (other.found.family === found.family && other.storage === wanted) continue
    refuse(`is a foreign key to ${name} and to ${nameOf(other.model, other.field)}, which differ`, field.name)
  }
  if (comment && comment.family !== found.name) {
    refuse(`is a foreign key to ${name}, whose ids are of ${found.name}`, comment.family)
  }
  if (comment?.storage !== undefined && comment.storage !== wanted) {
    refuse(`is a foreign key to ${name}, whose storage is ${wanted}`, comment.storage)
  }
  if (comment?.meta !== undefined) refuse(`is a foreign key to ${name}, where its meta is said`, comment.meta)
  if (comment?.generate === 'application' || isEmptyDefault(field)) {
    refuse(`is a foreign key to ${name}; ids are made there: remove @default`, field.name)
  }
  const { collation = its.collation } = comment ?? {}
  const storage = fitStorage(field, found.family, database, {
    storage: wanted,
    ...(collation && { collation }),
  })
  return { model, field, found, storage, generated: false, comment: comment ?? {} }
}
