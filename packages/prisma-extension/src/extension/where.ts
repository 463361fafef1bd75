import { mapShape, type Rule, type Shape } from './shape.js'

/** A filter on a model, unique or not; a composite key in it is an object of fields. */
export const where: Rule = (model, value, place) => mapShape(WHERE, model, value, place)

/** A filter on related rows: by quantifier, or of a single row at once. */
const related: Rule = (model, value, place) => mapShape(RELATED, model, value, place)

const LOGIC = { AND: where, OR: where, NOT: where }
const WHERE: Shape = { ids: true, relation: related, compound: where, words: LOGIC }
const RELATED: Shape = {
  ...WHERE,
  words: { ...LOGIC, is: where, isNot: where, some: where, every: where, none: where },
}
