import type { Database, StorageName } from '@snoflax/core'
import {
  agree,
  type ColumnIdentity,
  checkGenerating,
  checkMeta,
  checkTimed,
  familyWith,
  type GeneratingColumn,
  labelOf,
  withPath,
} from '@snoflax/core/adapter'
import type { AnyFamily } from '../configuration.js'
import { checkRelationName, checkTimeNames } from '../extension/model.js'
import { type IdComment, readComment } from './comment.js'
import type { FindFamily, FoundFamily } from './families.js'
import { fitStorage, generatesBy, isGenerated } from './field.js'
import {
  type FieldOfModel,
  type Mistakes,
  nameOf,
  type PrismaModel,
  type PrismaSchema,
  refuse,
} from './schema.js'

/** A field that stores ids. */
export interface FoundField extends FieldOfModel {
  readonly found: FoundFamily
  /** What it also accepts. */
  readonly accept: readonly (RegExp | FoundFamily)[]
  /** The model whose ids it stores; undefined for a field that is neither a key nor a foreign key. */
  readonly of: string | undefined
  readonly storage: StorageName
  /** Whether the extension generates the ids. */
  readonly generated: boolean
  /** Whether the extension or the database generates them. */
  readonly isGenerating: boolean
  /** Whether the client types it as ids, and not as texts. */
  readonly branded: boolean
  readonly comment: Partial<IdComment>
}

/** The id fields of a schema, in its order. */
export interface SchemaIds {
  readonly database: Database
  readonly models: readonly ModelIds[]
}

export interface ModelIds {
  readonly model: PrismaModel
  readonly isView: boolean
  readonly ids: readonly FoundField[]
}

/** Foreign key → the fields that it refers to, by `Order.customerId`. */
type Targets = ReadonlyMap<string, readonly FieldOfModel[]>

interface Lookup {
  readonly database: Database
  readonly targets: Targets
  readonly findFamily: FindFamily
  /** For the keys whose comment doesn't say. */
  readonly branded: boolean
}

/** Every field that stores ids: those with a comment, and the foreign keys that reference one. */
export function findIds(
  { database, models, views }: PrismaSchema,
  findFamily: FindFamily,
  branded: boolean,
  mistakes: Mistakes,
): SchemaIds {
  const lookup = { database, targets: targetsOf(models), findFamily, branded }
  const found = models.map((model): ModelIds => {
    mistakes.collect(model.name, () => refuseComment(model.documentation, 'a model'))
    const ids = model.fields.flatMap(
      (field) =>
        mistakes.collect(nameOf({ model, field }), () => checkedField({ model, field }, lookup)) ?? [],
    )
    const times = ids.map((id) => ({ name: nameOf(id), settings: id.comment }))
    mistakes.collect(model.name, () => checkTimeNames(model.fields, times))
    return { model, isView: views.has(model.name), ids }
  })
  const ids = found.flatMap((model) => model.ids)
  const names = new Set(ids.map(nameOf))
  for (const id of ids) {
    const targets = lookup.targets.get(nameOf(id)) ?? []
    const path = targets.map(nameOf).find((name) => !names.has(name))
    if (path) mistakes.collect(nameOf(id), () => agree(identityOf(id), { path }))
  }
  checkGenerators(found, mistakes)
  checkNames(ids, mistakes)
  return { database, models: found }
}

/** Without the fields that the schema ignores. */
function targetsOf(models: readonly PrismaModel[]): Targets {
  const byName = new Map(models.map((model) => [model.name, model]))
  const targets = new Map<string, FieldOfModel[]>()
  for (const model of models) {
    for (const { type, relationFromFields = [], relationToFields = [] } of model.fields) {
      for (const [index, from] of relationFromFields.entries()) {
        const target = byName.get(type) as PrismaModel
        const field = target.fields.find(({ name }) => name === relationToFields[index])
        if (field === undefined) continue
        const name = `${model.name}.${from}`
        targets.set(name, [...(targets.get(name) ?? []), { model: target, field }])
      }
    }
  }
  return targets
}

function checkedField(own: FieldOfModel, lookup: Lookup): FoundField | undefined {
  const { kind, name, isList } = own.field
  if (kind === 'object') checkRelationName(name)
  const id = idField(own, lookup, new Set())
  if (id?.comment.createdAt) checkTimed(id.found.family)
  if (isList && id?.comment.createdAt) refuse('createdAt needs a single id, not a list', id.comment.createdAt)
  return id
}

function idField(own: FieldOfModel, lookup: Lookup, seen: ReadonlySet<string>): FoundField | undefined {
  const { field } = own
  const name = nameOf(own)
  if (seen.has(name)) return undefined
  if (field.kind !== 'scalar') {
    refuseComment(field.documentation, field.kind === 'object' ? 'a relation' : `an ${field.kind}`)
    return undefined
  }
  const comment = readComment(field.documentation)
  const targets = (lookup.targets.get(name) ?? []).flatMap((target) => {
    const id = withPath(nameOf(target), () => idField(target, lookup, new Set([...seen, name])))
    return id ? [id] : []
  })
  if (targets.length > 0) return foreignKey(own, comment, targets, lookup)
  return comment && ownId(own, comment, lookup)
}

function ownId(own: FieldOfModel, comment: IdComment, lookup: Lookup): FoundField {
  const { field, model } = own
  const { database, findFamily, branded } = lookup
  const found = findFamily({ ...comment, label: field.isId ? model.name : nameOf(own) })
  const accept = (comment.accept ?? []).map((one) =>
    typeof one === 'string' ? findFamily({ family: one, prefix: undefined }) : one,
  )
  const storage = fitStorage(field, wholeFamily({ found, accept }), database, comment)
  checkMeta(found.family, comment.meta)
  const isKey = field.isId || (model.primaryKey?.fields.includes(field.name) && field.hasDefaultValue)
  const generated = isGenerated(field, comment.generate)
  return {
    ...own,
    found,
    accept,
    of: isKey ? model.name : undefined,
    storage,
    generated,
    isGenerating: generated || comment.generate === 'database' || comment.generate === 'prisma',
    branded: (comment.branded ?? branded) && !accept.some(isPattern),
    comment,
  }
}

/** A foreign key takes what its target is. A comment may repeat family and storage, add a computed field, and differ in the rest. */
function foreignKey(
  own: FieldOfModel,
  comment: IdComment | undefined,
  targets: readonly FoundField[],
  { database, findFamily }: Lookup,
): FoundField {
  const { field } = own
  const { found, accept, of, storage: wanted, comment: its, branded } = targets[0] as FoundField
  const isSaid = comment && !(comment.family === 'opaque' && found.pattern)
  const stated = isSaid ? findFamily({ prefix: found.prefix, ...comment }).family : found.family
  for (const target of targets) {
    agree({ path: nameOf(own), family: stated, storage: comment?.storage ?? wanted }, identityOf(target))
  }
  const name = nameOf(targets[0] as FoundField)
  if (comment?.meta !== undefined) refuse(`is a foreign key to ${name}, where meta is set`, comment.meta)
  if (comment?.pattern)
    refuse(`is a foreign key to ${name}, and has its pattern; leave pattern out`, comment.pattern)
  if (comment?.accept)
    refuse(`is a foreign key to ${name}, and accepts what that does; leave accept out`, comment.accept)
  if (generatesBy(field, comment?.generate, targets[0] as FoundField)) {
    const column = { path: nameOf(own), place: placeOf(own), family: found.family, target: name }
    checkGenerating([column], () => `a field without @default${comment?.generate ? ' and generate' : ''}`)
  }
  const { collation, onMismatch } = { ...its, ...comment }
  // A foreign key to this field takes them too.
  const settings = { ...comment, ...(collation && { collation }), ...(onMismatch && { onMismatch }) }
  const family = wholeFamily({ found, accept })
  const storage = fitStorage(field, family, database, { ...settings, storage: wanted })
  const isTyped = (settings.branded ?? branded) && !accept.some(isPattern)
  return {
    ...own,
    found,
    accept,
    of,
    storage,
    generated: false,
    isGenerating: false,
    branded: isTyped,
    comment: settings,
  }
}

export const isPattern = (accepted: RegExp | FoundFamily): boolean => accepted instanceof RegExp

/** A field's family, and those that it accepts beside. */
export const familiesIn = ({ found, accept }: Pick<FoundField, 'found' | 'accept'>): FoundFamily[] => [
  found,
  ...accept.filter((one): one is FoundFamily => !(one instanceof RegExp)),
]

export const idFields = ({ models }: SchemaIds): FoundField[] => models.flatMap(({ ids }) => ids)

/** The families of fields, each once. */
export const familiesOf = (ids: readonly FoundField[]): FoundFamily[] => [
  ...new Map(ids.map(({ found }) => [found.name, found])).values(),
]

const wholeFamily = ({ found, accept }: Pick<FoundField, 'found' | 'accept'>): AnyFamily =>
  familyWith(found.family, {
    accept: accept.length > 0 ? accept.map((one) => (one instanceof RegExp ? one : one.family)) : undefined,
  })

const identityOf = (id: FoundField): ColumnIdentity => ({
  path: nameOf(id),
  family: id.found.family,
  storage: id.storage,
})

function refuseComment(documentation: string | undefined, what: string): void {
  if (readComment(documentation)) {
    refuse(`@snoflax belongs to the field that stores the ids, not to ${what}`, what)
  }
}

/** Checks that one field generates the ids of a prefix, and one those of a primary key. */
function checkGenerators(models: readonly ModelIds[], mistakes: Mistakes): void {
  const byLabel = new Map<string, GeneratingColumn>()
  const generating = models.flatMap(({ ids }) => ids).filter((id) => id.isGenerating)
  // Keys first, so that a field beside them is the mistake.
  for (const id of [...generating].sort((a, b) => Number(b.field.isId) - Number(a.field.isId))) {
    const { family } = id.found
    const label = labelOf(family)
    if (label === undefined) continue
    const column = { path: nameOf(id), place: placeOf(id), family }
    const first = byLabel.get(label) ?? column
    byLabel.set(label, first)
    mistakes.collect(column.path, () => checkGenerating([first, column], cureOf(id)))
  }
  for (const { model, ids } of models) {
    const inKey = (id: FoundField) => model.primaryKey?.fields.includes(id.field.name)
    const [first, ...others] = ids.filter(
      (id) => id.isGenerating && inKey(id) && labelOf(id.found.family) === undefined,
    )
    for (const other of others) {
      const reason = `generates ids, as ${nameOf(first as FoundField)} of the same key does; declare those that refer to other rows as ${cureOf(other)('them')}`
      mistakes.collect(nameOf(other), () => refuse(reason, other.field.name))
    }
  }
}

const cureOf =
  ({ field: { name } }: FoundField) =>
  (target: string | undefined): string =>
    target === undefined
      ? 'a field without @default'
      : `a field without @default, with a @relation(fields: [${name}], …) to ${target}`

/** Table and column in the database, without a schema. */
const placeOf = ({ model, field }: FieldOfModel): string =>
  `${model.dbName ?? model.name}.${field.dbName ?? field.name}`

/** Checks that names of families are unique: generators are passed by them, and the generated module exports them. */
function checkNames(ids: readonly FoundField[], mistakes: Mistakes): void {
  const inModule = new Map<string, FoundFamily>()
  const ofGenerators = new Map<string, FoundFamily>()
  const firstNamed = (known: Map<string, FoundFamily>, name: string, found: FoundFamily): FoundFamily => {
    const first = known.get(name) ?? found
    known.set(name, first)
    return first
  }
  for (const id of ids) {
    mistakes.collect(nameOf(id), () => {
      const { found } = id
      const { name } = found.family
      const same = firstNamed(inModule, found.name, found)
      const isOther = same.export !== found.export || same.prefix !== found.prefix
      if (isOther || same.family.name !== found.family.name) {
        refuse(
          `the family is ${found.name} in the generated module, and so is another one; ` +
            'use another prefix, or rename your own family',
          found.name,
        )
      }
      const first = id.generated ? firstNamed(ofGenerators, name, found) : found
      if (first.name === found.name) return
      refuse(
        `${first.name} and ${found.name} are both named ${name}, the name that generators are passed by; ` +
          'rename one of them with defineFamily',
        found.name,
      )
    })
  }
}
