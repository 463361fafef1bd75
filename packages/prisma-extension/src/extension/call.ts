import type { DataRules } from './data.js'
import type { Model } from './model.js'
import type { Place } from './place.js'
import { selection } from './selection.js'
import { mapShape, type Rule, type Shape } from './shape.js'
import { where } from './where.js'

/** The arguments of a call on a model, as Prisma gives them to an extension → with database values. */
export type MapArguments = (model: Model, operation: string, args: unknown, place: Place) => unknown

/** `having` holds filters on fields, as `where` does, and the aggregates in them hold ids as well. */
const having: Rule = where

export function mapArguments({ create, update }: DataRules): MapArguments {
  const words = { where, cursor: where, having, select: selection, include: selection, create, update }
  const creating: Shape = { words: { ...words, data: create } }
  const changing: Shape = { words: { ...words, data: update } }
  return (model, operation, args, place) => {
    const shape = operation.startsWith('create') ? creating : changing
    return mapShape(shape, model, args, place)
  }
}
