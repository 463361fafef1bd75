import { type Database, IdError } from '@snoflax/core'
import { checkRelationName } from '../extension/model.js'
import type { FoundFamily } from './families.js'
import type { FoundField, FoundFields } from './id-fields.js'
import { type Mistakes, nameOf, type PrismaField, type PrismaModel, type PrismaSchema } from './schema.js'

/** What the generated module is written from. */
export interface ModuleContent {
  readonly database: Database
  readonly models: readonly ModelContent[]
}

/** What the generated module says of a model. */
export interface ModelContent {
  readonly model: PrismaModel
  readonly isView: boolean
  readonly ids: readonly FoundField[]
}

/** The models as the extension has to know them. Mistakes of names are collected. */
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
    mistakes.collect(model.name, () => checkComputedNames(model, ids))
    return { model, isView: views.has(model.name), ids }
  }
  return { database, models: models.map(modelContent) }
}

export const idFields = ({ models }: ModuleContent): FoundField[] => models.flatMap(({ ids }) => ids)

/** Families, each once. */
export const familiesOf = (ids: readonly FoundField[]): FoundFamily[] => [
  ...new Map(ids.map(({ found }) => [found.name, found])).values(),
]

/** Refuses computed fields that would hide a field or each other, or that have no single id to read. */
function checkComputedNames({ fields }: PrismaModel, ids: readonly FoundField[]): void {
  const taken = new Set(fields.map(({ name }) => name))
  for (const id of ids) {
    const { createdAt } = id.comment
    if (createdAt === undefined) continue
    const reason = reasonAgainst(createdAt, id.field, taken)
    if (reason) {
      throw new IdError('INVALID_OPTION', reason, { field: 'createdAt', value: createdAt }).at(nameOf(id))
    }
    taken.add(createdAt)
  }
}

function reasonAgainst(name: string, field: PrismaField, taken: ReadonlySet<string>): string | undefined {
  if (field.isList) return 'createdAt needs a single id, not a list'
  return taken.has(name)
    ? `the model already has a field ${name}; name the computed one differently, as in createdAt=insertedAt`
    : undefined
}
