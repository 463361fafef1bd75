import type { Database, StorageName } from '@snoflax/core'
import { agree, type ColumnIdentity, checkMeta, familyWith, withPath } from '@snoflax/core/adapter'
import type { AnyFamily } from '../configuration.js'
import { fitStorage, isEmptyDefault, isGenerated } from './column.js'
import { type IdComment, readComment } from './comment.js'
import type { FindFamily, FoundFamily } from './families.js'
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
  /** Whether the client types it as ids, and not as texts. */
  readonly branded: boolean
  readonly comment: Partial<IdComment>
}

/** By path, such as `Order.id`, in the schema's order. */
export type FoundFields = ReadonlyMap<string, FoundField>

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
export function findIdFields(
  { database, models }: PrismaSchema,
  findFamily: FindFamily,
  branded: boolean,
  mistakes: Mistakes,
): FoundFields {
  const targets = targetsOf(models)
  const ids = new Map<string, FoundField>()
  for (const model of models) {
    mistakes.collect(model.name, () => refuseComment(model.documentation, 'a model'))
    for (const field of model.fields) {
      const name = nameOf({ model, field })
      mistakes.collect(name, () => {
        const id = idField({ model, field }, { database, targets, findFamily, branded }, new Set())
        if (id) ids.set(name, id)
      })
    }
  }
  for (const [name, id] of ids) mistakes.collect(name, () => checkTargets(ids, id, targets.get(name) ?? []))
  checkNames(ids, mistakes)
  return ids
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
  const { database, findFamily } = lookup
  const found = findFamily(comment)
  const accept = (comment.accept ?? []).map((one) =>
    typeof one === 'string' ? findFamily({ family: one, prefix: undefined }) : one,
  )
  const storage = fitStorage(field, wholeFamily({ found, accept }), database, comment)
  checkMeta(found.family, comment.meta)
  const branded = comment.branded ?? lookup.branded
  const generated = isGenerated(field, comment.generate)
  const isKey = field.isId || (model.primaryKey?.fields.includes(field.name) && field.hasDefaultValue)
  const of = isKey ? model.name : undefined
  return {
    ...own,
    found,
    accept,
    of,
    storage,
    generated,
    branded: branded && !accept.some(isPattern),
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
  const stated = comment ? findFamily({ prefix: found.prefix, ...comment }).family : found.family
  for (const target of targets) {
    agree({ path: nameOf(own), family: stated, storage: comment?.storage ?? wanted }, identityOf(target))
  }
  const name = nameOf(targets[0] as FoundField)
  if (comment?.meta !== undefined) refuse(`is a foreign key to ${name}, where meta is set`, comment.meta)
  if (comment?.accept)
    refuse(`is a foreign key to ${name}, and accepts what that does; leave accept out`, comment.accept)
  if (comment?.generate === 'application' || isEmptyDefault(field)) {
    refuse(`is a foreign key to ${name}; ids are generated there; remove @default`, field.name)
  }
  const { collation, onMismatch } = { ...its, ...comment }
  // A foreign key to this field takes them too.
  const settings = { ...comment, ...(collation && { collation }), ...(onMismatch && { onMismatch }) }
  const family = wholeFamily({ found, accept })
  const storage = fitStorage(field, family, database, { ...settings, storage: wanted })
  const isTyped = (settings.branded ?? branded) && !accept.some(isPattern)
  return { ...own, found, accept, of, storage, generated: false, branded: isTyped, comment: settings }
}

export const isPattern = (accepted: RegExp | FoundFamily): boolean => accepted instanceof RegExp

/** The families that a field accepts beside its own. */
export const acceptedFamilies = ({ accept }: Pick<FoundField, 'accept'>): FoundFamily[] =>
  accept.filter((one): one is FoundFamily => !(one instanceof RegExp))

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

function checkTargets(ids: FoundFields, id: FoundField, targets: readonly FieldOfModel[]): void {
  const path = targets.map(nameOf).find((name) => !ids.has(name))
  if (path) agree(identityOf(id), { path })
}

/** Checks that names of families are unique: generators are passed by them, and the generated module exports them. */
function checkNames(ids: FoundFields, mistakes: Mistakes): void {
  const exports = new Map<string, string>()
  const inModule = new Map<string, FoundFamily>()
  for (const [path, { found, generated }] of ids) {
    const same = inModule.get(found.name) ?? found
    inModule.set(found.name, same)
    if (same.export !== found.export || same.prefix !== found.prefix) {
      mistakes.collect(path, () =>
        refuse(
          `the family is ${found.name} in the generated module, and so is another one; ` +
            'use another prefix, or rename your own family',
          found.name,
        ),
      )
    }
    if (!generated) continue
    const { name } = found.family
    const first = exports.get(name) ?? found.name
    exports.set(name, first)
    if (first === found.name) continue
    mistakes.collect(path, () =>
      refuse(
        `${first} and ${found.name} are both named ${name}, the name that generators are passed by; ` +
          'rename one of them with defineFamily',
        found.name,
      ),
    )
  }
}
