import { type Database, IdError } from '@snoflax/core'
import { checkRelationName, checkTimeNames } from '../extension/model.js'
import type { FoundFamily } from './families.js'
import type { FoundField, FoundFields } from './id-fields.js'
import { type Mistakes, nameOf, type PrismaModel, type PrismaSchema } from './schema.js'

/** The content of the generated module. */
export interface ModuleContent {
  readonly database: Database
  readonly models: readonly ModelContent[]
}

/** A model in the generated module. */
export interface ModelContent {
  readonly model: PrismaModel
  readonly isView: boolean
  readonly ids: readonly FoundField[]
}

/** The models for the extension. Mistakes in names are collected. */
export function contentOf(
  { database, models, views }: PrismaSchema,
  found: FoundFields,
  mistakes: Mistakes,
): ModuleContent {
  const modelContent = (model: PrismaModel): ModelContent => {
    const ids = model.fields.flatMap((field) => found.get(nameOf({ model, field })) ?? [])
    for (const { kind, name } of model.fields) {
      if (kind === 'object') mistakes.collect(`${model.name}.${name}`, () => checkRelationName(name))
    }
    for (const id of ids) mistakes.collect(nameOf(id), () => refuseList(id))
    const times = ids.map((id) => ({ name: nameOf(id), settings: id.comment }))
    mistakes.collect(model.name, () => checkTimeNames(model.fields, times))
    return { model, isView: views.has(model.name), ids }
  }
  return { database, models: models.map(modelContent) }
}

export const idFields = ({ models }: ModuleContent): FoundField[] => models.flatMap(({ ids }) => ids)

/** Families, each once. */
export const familiesOf = (ids: readonly FoundField[]): FoundFamily[] => [
  ...new Map(ids.map(({ found }) => [found.name, found])).values(),
]

function refuseList({ field, comment: { createdAt } }: FoundField): void {
  if (createdAt === undefined || !field.isList) return
  const facts = { field: 'createdAt', value: createdAt }
  throw new IdError('INVALID_OPTION', 'createdAt needs a single id, not a list', facts)
}
