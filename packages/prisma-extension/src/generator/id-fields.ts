import type { Database, StorageName } from '@snoflax/core'
import { agree, type ColumnIdentity, checkMeta, withPath } from '@snoflax/core/adapter'
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
  /** The model whose ids it stores; undefined for a field that is neither a key nor a foreign key. */
  readonly of: string | undefined
  readonly storage: StorageName
  /** Whether the extension generates the ids. */
  readonly generated: boolean
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
}

/** Every field that stores ids: those with a comment, and the foreign keys that reference one. */
export function findIdFields(
  { database, models }: PrismaSchema,
  findFamily: FindFamily,
  mistakes: Mistakes,
): FoundFields {
  const targets = targetsOf(models)
  const ids = new Map<string, FoundField>()
  for (const model of models) {
    mistakes.collect(model.name, () => refuseComment(model.documentation, 'a model'))
    for (const field of model.fields) {
      const name = nameOf({ model, field })
      mistakes.collect(name, () => {
        const id = idField({ model, field }, { database, targets, findFamily }, new Set())
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

function ownId(own: FieldOfModel, comment: IdComment, { database, findFamily }: Lookup): FoundField {
  const { field, model } = own
  const found = findFamily(comment)
  const storage = fitStorage(field, found.family, database, comment)
  checkMeta(found.family, comment.meta)
  const generated = isGenerated(field, comment.generate)
  const isKey = field.isId || (model.primaryKey?.fields.includes(field.name) && field.hasDefaultValue)
  return { ...own, found, of: isKey ? model.name : undefined, storage, generated, comment }
}

/** A foreign key takes family and storage of its target. A comment may repeat them, and add a computed field. */
function foreignKey(
  own: FieldOfModel,
  comment: IdComment | undefined,
  targets: readonly FoundField[],
  { database, findFamily }: Lookup,
): FoundField {
  const { field } = own
  const { found, of, storage: wanted, comment: its } = targets[0] as FoundField
  const family = comment ? findFamily({ prefix: found.prefix, ...comment }).family : found.family
  for (const target of targets) {
    agree({ path: nameOf(own), family, storage: comment?.storage ?? wanted }, identityOf(target))
  }
  const name = nameOf(targets[0] as FoundField)
  if (comment?.meta !== undefined) refuse(`is a foreign key to ${name}, where meta is set`, comment.meta)
  if (comment?.generate === 'application' || isEmptyDefault(field)) {
    refuse(`is a foreign key to ${name}; ids are generated there; remove @default`, field.name)
  }
  const collation = comment?.collation ?? its.collation
  // A foreign key to this field takes it too.
  const settings = { ...comment, ...(collation && { collation }) }
  const storage = fitStorage(field, found.family, database, { ...settings, storage: wanted })
  return { ...own, found, of, storage, generated: false, comment: settings }
}

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
