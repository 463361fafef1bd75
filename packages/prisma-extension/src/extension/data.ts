import type { NewId } from './generators.js'
import type { IdColumn, Model } from './model.js'
import { inside, type Place, placed } from './place.js'
import { isPlainObject } from './plain-object.js'
import { mapShape, type Rule, type Shape } from './shape.js'
import { where } from './where.js'

/** What writes are made of. */
export interface DataRules {
  /** Data of new rows; ids that are missing are made. */
  readonly create: Rule
  /** Changes of rows. */
  readonly update: Rule
}

/** The rules for data, with ids made by `newId`. */
export function dataRules(newId: NewId): DataRules {
  // A parent's id is made before those of its children.
  const create: Rule = (model, value, place) =>
    mapShape(ROW, model, withNewIds(newId, model, value, place), place)
  const update: Rule = (model, value, place) => mapShape(ROW, model, value, place)
  const nestedWrite: Rule = (model, value, place) => mapShape(NESTED_WRITE, model, value, place)

  const ROW: Shape = { ids: true, relation: nestedWrite }
  const NESTED_WRITE: Shape = {
    words: {
      create,
      createMany: group({ words: { data: create } }),
      connectOrCreate: group({ words: { where, create } }),
      connect: where,
      disconnect: where,
      set: where,
      delete: where,
      deleteMany: where,
      // Of a single row, the changes may stand here at once.
      update: group({ ...ROW, words: { where, data: update } }),
      updateMany: group({ words: { where, data: update } }),
      upsert: group({ words: { where, create, update } }),
    },
  }
  return { create, update }
}

const group =
  (shape: Shape): Rule =>
  (model, value, place) =>
    mapShape(shape, model, value, place)

/** A row, or each of a list, with ids where it has none. */
function withNewIds(newId: NewId, model: Model, value: unknown, place: Place): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => withNewIds(newId, model, item, inside(place, index)))
  }
  if (!isPlainObject(value)) return value
  const row = { ...value }
  for (const column of model.idList) {
    const { field, settings } = column
    if (settings.generated && isLeftOut(row[field])) {
      row[field] = placedId(newId, column, inside(place, field))
    }
  }
  return row
}

/** `undefined`, or `Prisma.skip`: told by its method, since each build of Prisma's runtime has a class of its own. */
const isLeftOut = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && 'ifUndefined' in value)

/** A generator's errors name the field too. */
function placedId(newId: NewId, column: IdColumn, place: Place): string {
  try {
    return newId(column)
  } catch (error) {
    throw placed(error, column.name, place)
  }
}
