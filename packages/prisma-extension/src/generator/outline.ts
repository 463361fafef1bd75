import { IdError } from '@snoflax/core'
import { refuseAmbiguousNames } from '../names.js'
import type { FoundField, FoundFields } from './id-fields.js'
import type { Mistakes } from './mistakes.js'
import { nameOf, type PrismaField, type PrismaModel, type PrismaSchema } from './schema.js'

/** What the generated module says of a model. */
export interface ModelOutline {
  readonly model: PrismaModel
  readonly isView: boolean
  readonly ids: readonly FoundField[]
  readonly relations: readonly PrismaField[]
  readonly compounds: readonly string[]
}

/** The models as the extension has to know them. Mistakes of names are collected. */
export function outline(schema: PrismaSchema, found: FoundFields, mistakes: Mistakes): ModelOutline[] {
  const single = singleTargets(schema.models)
  return schema.models.map((model) => {
    const ids = model.fields.flatMap((field) => found.get(nameOf(model, field)) ?? [])
    const relations = model.fields.filter(({ kind }) => kind === 'object')
    mistakes.collect(model.name, () => {
      refuseAmbiguousNames(model.name, walkedInto(model, ids, relations, single.has(model.name)))
      refuseComputedNames(model, ids)
    })
    const isView = schema.views.has(model.name)
    return { model, isView, ids, relations, compounds: compounds(model, ids) }
  })
}

/** Models that a single related row can be of: in `update: { data: … }`, data is a word or their field. */
const singleTargets = (models: readonly PrismaModel[]): ReadonlySet<string> =>
  new Set(models.flatMap(({ fields }) => fields.filter(isSingleRelation).map(({ type }) => type)))

const isSingleRelation = ({ kind, isList }: PrismaField): boolean => kind === 'object' && !isList

function walkedInto(
  model: PrismaModel,
  ids: readonly FoundField[],
  relations: readonly PrismaField[],
  isSingleTarget: boolean,
): string[] {
  const json = isSingleTarget ? model.fields.filter(({ type }) => type === 'Json') : []
  return [...ids.map(({ field }) => field), ...relations, ...json].map(({ name }) => name)
}

/** Names of composite keys and constraints that hold ids. */
function compounds(model: PrismaModel, ids: readonly FoundField[]): string[] {
  const holdsId = new Set(ids.map(({ field }) => field.name))
  return [...(model.primaryKey ? [model.primaryKey] : []), ...model.uniqueIndexes]
    .filter(({ fields }) => fields.length > 1 && fields.some((field) => holdsId.has(field)))
    .map(({ name, fields }) => name ?? fields.join('_'))
}

/** Computed fields that would hide a field or each other, or that have no single id to read. */
function refuseComputedNames({ fields }: PrismaModel, ids: readonly FoundField[]): void {
  const taken = new Set(fields.map(({ name }) => name))
  for (const { model, field, comment } of ids) {
    if (comment.createdAt === undefined) continue
    const reason = reasonAgainst(comment.createdAt, field, taken)
    const facts = { field: 'createdAt', value: comment.createdAt }
    if (reason) throw new IdError('INVALID_OPTION', reason, facts).at(nameOf(model, field))
    taken.add(comment.createdAt)
  }
}

function reasonAgainst(name: string, field: PrismaField, taken: ReadonlySet<string>): string | undefined {
  if (field.isList) return 'createdAt is of a single id, not of a list'
  return taken.has(name)
    ? `the model has a field ${name}; give the computed one another name, as in createdAt=madeAt`
    : undefined
}
