import { idValue } from './id-value.js'
import type { Model } from './model.js'
import { inside, type Place } from './place.js'
import { isPlainObject } from './plain-object.js'

/** Maps a part of the arguments that speaks of a model. */
export type Rule = (model: Model, value: unknown, place: Place) => unknown

/** What the keys of an object in the arguments mean. Keys that mean nothing here keep their values. */
export interface Shape {
  /** Whether names of id fields stand here, with values for them. */
  readonly ids?: boolean
  /** What stands under the name of a relation; it is told of the related model. */
  readonly relation?: Rule
  /** What stands under the name of a composite key. */
  readonly compound?: Rule
  /** What stands under Prisma's own words. */
  readonly words?: Readonly<Record<string, Rule>>
}

/** A copy of an object of that shape, or of a list of them, with the ids in it mapped. */
export function mapShape(shape: Shape, model: Model, value: unknown, place: Place): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => mapShape(shape, model, item, inside(place, index)))
  }
  if (!isPlainObject(value)) return value
  const copy = { ...value }
  for (const key of Object.keys(copy)) copy[key] = mapKey(shape, model, key, copy[key], place)
  return copy
}

function mapKey(shape: Shape, model: Model, key: string, value: unknown, parent: Place): unknown {
  const column = shape.ids && model.ids.get(key)
  if (column) return idValue(column, value, inside(parent, key))
  const related = shape.relation && model.relations.get(key)
  if (related) return (shape.relation as Rule)(related, value, inside(parent, key))
  if (shape.compound && model.compounds.has(key)) return shape.compound(model, value, inside(parent, key))
  const rule = shape.words && Object.hasOwn(shape.words, key) ? shape.words[key] : undefined
  return rule ? rule(model, value, inside(parent, key)) : value
}
