import { idValue, isPlainObject, type Use } from './id-value.js'
import type { ClientField, Model } from './model.js'
import { inside, type Place, withPlace } from './place.js'

/** Maps the part of the arguments that describes rows of a model: ids become database values, in a copy. */
export type Rule = (model: Model, value: unknown, place: Place) => unknown

/** The meaning of an object's keys. The values of other keys are unchanged. */
interface Shape {
  /** What values of id fields are for. */
  readonly ids?: Use
  /** The rule for the name of a relation. */
  readonly relation?: Rule
  /** The rule for any other name: that of a composite key. */
  readonly compound?: Rule
  /** The rules for Prisma's own words. */
  readonly words?: Readonly<Record<string, Rule>>
}

/** The rule for an object of that shape, or a list of them. */
const rule =
  (shape: () => Shape): Rule =>
  (model, value, place) =>
    mapShape(shape(), model, value, place)

const words = (words: Readonly<Record<string, Rule>>): Rule => rule(() => ({ words }))

function mapShape(shape: Shape, model: Model, value: unknown, place: Place): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => mapShape(shape, model, item, inside(place, index)))
  if (!isPlainObject(value)) return value
  const copy = { ...value }
  for (const key of Object.keys(copy)) copy[key] = mapKey(shape, model, key, copy[key], inside(place, key))
  return copy
}

function mapKey(shape: Shape, model: Model, key: string, value: unknown, place: Place): unknown {
  const column = model.ids.get(key)
  if (shape.ids && column) return idValue(column, value, place, shape.ids)
  const related = shape.relation && model.relations.get(key)
  if (related) return shape.relation(related, value, place)
  const word = shape.words && Object.hasOwn(shape.words, key) ? shape.words[key] : undefined
  const named = word ?? (model.fields.has(key) ? undefined : shape.compound)
  return named ? named(model, value, place) : value
}

// Filters, unique or not, and `having`, whose aggregates contain ids as well.
const where = rule(() => WHERE)
const logic = { AND: where, OR: where, NOT: where }
const relatedWhere: Rule = (model, value, place) =>
  isRelationFilter(model, value) ? quantified(model, value, place) : where(model, value, place)
const quantifiers = { is: where, isNot: where, some: where, every: where, none: where }
const quantified = words(quantifiers)
const WHERE: Shape = { ids: 'condition', relation: relatedWhere, compound: where, words: logic }

// `select` and `include`.
const selection = rule(() => SELECTION)
const related = words({ where, cursor: where, select: selection, include: selection })
const SELECTION: Shape = { relation: related, words: { _count: words({ select: selection }) } }

const update = rule(() => ROW)

/** New rows, and rows created with them: missing ids are generated in the order in which Prisma inserts. */
const create: Rule = (model, value, place) => {
  if (Array.isArray(value)) return value.map((item, index) => create(model, item, inside(place, index)))
  if (!isPlainObject(value)) return value
  const row = { ...value }
  const mapAt = (key: string) => {
    row[key] = mapKey(ROW, model, key, row[key], inside(place, key))
  }
  // Of several parents, Prisma inserts the last one first.
  const parents = Object.keys(row)
    .filter((key) => model.parents.includes(key))
    .reverse()
  parents.forEach(mapAt)
  addNewIds(model, row, place)
  for (const key of Object.keys(row)) if (!parents.includes(key)) mapAt(key)
  return row
}

const nestedWrite = words({
  create,
  createMany: words({ data: create }),
  connectOrCreate: words({ where, create }),
  connect: where,
  disconnect: where,
  set: where,
  delete: where,
  deleteMany: where,
  update: nestedUpdate,
  updateMany: words({ where, data: update }),
  upsert: words({ where, create, update }),
})
const ROW: Shape = { ids: 'data', relation: nestedWrite }
const wrapped = words({ where, data: update })

const CALL = { where, cursor: where, having: where, select: selection, include: selection, create, update }

/** The arguments of a call, except for one that creates rows by `data`. */
export const mapArguments = words({ ...CALL, data: update })

/** The arguments of a call that creates rows by `data`; missing ids are generated. */
export const mapCreation = words({ ...CALL, data: create })

// Fields may have the names of Prisma's words. If a value can be read both ways, Prisma takes the first form that fits
// the whole value.

/** Whether it filters related rows by quantifier. A single row is also filtered by its fields. */
const isRelationFilter = ({ fields }: Model, value: unknown): boolean =>
  isPlainObject(value) &&
  Object.entries(value).every(
    ([key, operand]) =>
      Object.hasOwn(quantifiers, key) && (!fields.has(key) || operand == null || isWhere(fields, operand)),
  )

/** The update of related rows, `{ where, data }`; for a single row also the changes alone. */
function nestedUpdate(model: Model, value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return value.map((item, index) => nestedUpdate(model, item, inside(place, index)))
  if (!isPlainObject(value)) return value
  const { fields } = model
  const isWrapped = isWrapper(fields, value)
  const mapped = (isWrapped ? wrapped : update)(model, value, place) as { data?: object }
  if (!fields.has('data') || mapped.data === undefined) return mapped
  // Passes it on in the form that Prisma can't mistake for the other one.
  if (!isWrapped) return { data: mapped }
  const names = Object.keys(mapped.data)
  const isClear = 'where' in mapped || names.includes('data') || names.every(isWrapperKey)
  return isClear ? mapped : mapped.data
}

const isWrapperKey = (key: string): boolean => key === 'where' || key === 'data'

const isWrapper = (fields: Model['fields'], value: Record<string, unknown>): boolean =>
  Object.keys(value).every(isWrapperKey) &&
  ('data' in value ? !fields.has('data') || isUpdate(fields, value['data']) : !fields.has('where')) &&
  (!fields.has('where') || value['where'] === undefined || isWhere(fields, value['where']))

const isWhere = (fields: Model['fields'], value: unknown): boolean =>
  isPlainObject(value) && Object.keys(value).every((key) => fields.has(key) || Object.hasOwn(logic, key))

const isUpdate = (fields: Model['fields'], value: unknown): boolean =>
  isPlainObject(value) &&
  Object.entries(value).every(([key, change]) => {
    const field = fields.get(key)
    return field !== undefined && (change == null || fits(field, change))
  })

const TYPES: Readonly<Record<string, readonly string[]>> = {
  Int: ['number'],
  Float: ['number'],
  Boolean: ['boolean'],
  BigInt: ['bigint', 'number', 'string'],
  Decimal: ['number', 'string'],
}
const CHANGES = new Set(['set', 'unset', 'push', 'increment', 'decrement', 'multiply', 'divide'])

/** Whether the value is a change of this relation or field. */
function fits({ kind, type }: ClientField, change: unknown): boolean {
  if (kind === 'object') return isPlainObject(change)
  if (type === 'Json' || Array.isArray(change)) return true
  if (isPlainObject(change)) return Object.keys(change).every((key) => CHANGES.has(key))
  return typeof change === 'object' || (TYPES[type] ?? ['string']).includes(typeof change)
}

function addNewIds({ idList, isStrict }: Model, row: Record<string, unknown>, place: Place): void {
  for (const { name, field, generate } of idList) {
    if (!generate || !isLeftOut(row[field])) continue
    // Prisma refuses it.
    if (isStrict && field in row && row[field] === undefined) continue
    row[field] = withPlace(name, inside(place, field), generate)
  }
}

/** `undefined` or `Prisma.skip`, recognized by its method, since each build of Prisma's runtime has its own class. */
const isLeftOut = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && 'ifUndefined' in value)
