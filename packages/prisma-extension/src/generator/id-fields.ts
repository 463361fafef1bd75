import type { Database, StorageName } from '@snoflax/core'
import { checkAgreement } from './agreement.js'
import { fitStorage } from './column.js'
import { type IdComment, readComment } from './comment.js'
import { isGenerated } from './default.js'
import type { FindFamily, FoundFamily } from './families.js'
import { foreignKey, foreignKeys, type Reference } from './foreign-keys.js'
import { type Mistakes, placedAt } from './mistakes.js'
import { refuse } from './refuse.js'
import { nameOf, type PrismaField, type PrismaModel, type PrismaSchema } from './schema.js'

/** A field that holds ids, as the schema tells. */
export interface FoundField {
  readonly model: PrismaModel
  readonly field: PrismaField
  readonly found: FoundFamily
  readonly storage: StorageName
  readonly generated: boolean
  readonly comment: Partial<IdComment>
}

/** By `Order.id`, in the schema's order. */
export type FoundFields = ReadonlyMap<string, FoundField>

/** Every field that holds ids: those with a comment, and the foreign keys that lead to one. */
export function findIdFields(schema: PrismaSchema, findFamily: FindFamily, mistakes: Mistakes): FoundFields {
  const { database, models } = schema
  const targets = foreignKeys(models)
  const found = new Map<string, FoundField>()
  for (const model of models) {
    mistakes.collect(model.name, () => refuseComment(model.documentation, 'a model'))
    for (const field of model.fields) {
      const name = nameOf(model, field)
      mistakes.collect(name, () => {
        const one = idField({ model, field }, { database, targets, findFamily }, new Set())
        if (one) found.set(name, one)
      })
    }
  }
  checkAgreement(found, targets, mistakes)
  return found
}

interface Lookup {
  readonly database: Database
  readonly targets: ReadonlyMap<string, readonly Reference[]>
  readonly findFamily: FindFamily
}

function idField({ model, field }: Reference, lookup: Lookup, seen: Set<string>): FoundField | undefined {
  const name = nameOf(model, field)
  if (seen.has(name)) return undefined
  seen.add(name)
  if (field.kind !== 'scalar') {
    refuseComment(field.documentation, field.kind === 'object' ? 'a relation' : `an ${field.kind}`)
    return undefined
  }
  const comment = readComment(field.documentation)
  const referred = (lookup.targets.get(name) ?? []).flatMap((target) => {
    const one = placedAt(nameOf(target.model, target.field), () => idField(target, lookup, new Set(seen)))
    return one ? [one] : []
  })
  if (referred.length > 0) return foreignKey({ model, field }, comment, referred, lookup.database)
  return comment && ownId({ model, field }, comment, lookup)
}

function ownId({ model, field }: Reference, comment: IdComment, lookup: Lookup): FoundField {
  const found = lookup.findFamily(comment.family)
  const storage = fitStorage(field, found.family, lookup.database, comment)
  checkMeta(found, comment.meta)
  return { model, field, found, storage, generated: isGenerated(field, comment.generate), comment }
}

function checkMeta({ family }: FoundFamily, meta: number | undefined): void {
  if (meta === undefined) return
  const bits = family.layout.fields.find(({ name }) => name === 'meta')?.bits
  if (bits === undefined) refuse(`${family.name} has no meta field`, meta)
  if (meta >= 2 ** bits) refuse(`meta of ${family.name} is at most ${2 ** bits - 1}`, meta)
}

function refuseComment(documentation: string | undefined, what: string): void {
  if (readComment(documentation))
    refuse(`@snoflax belongs to the field that holds the ids, not to ${what}`, what)
}
