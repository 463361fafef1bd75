import { mapShape, type Rule, type Shape } from './shape.js'
import { where } from './where.js'

/** `select` and `include`, at any depth. */
export const selection: Rule = (model, value, place) => mapShape(SELECTION, model, value, place)

const related: Rule = (model, value, place) => mapShape(RELATED, model, value, place)
const counts: Rule = (model, value, place) => mapShape(COUNTS, model, value, place)

const COUNTS: Shape = { words: { select: selection } }
const SELECTION: Shape = { relation: related, words: { _count: counts } }
const RELATED: Shape = { words: { where, cursor: where, select: selection, include: selection } }
