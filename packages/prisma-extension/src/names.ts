import { IdError } from '@snoflax/core'

/** Words of Prisma's arguments that stand where a model's fields stand, too. */
const WORDS = new Set(['AND', 'OR', 'NOT', 'is', 'isNot', 'some', 'every', 'none', 'where', 'data'])

/**
 * Refuses names that make arguments ambiguous: in `update: { data: { … } }` of a relation, `data` could be the
 * field or Prisma's word.
 *
 * @param fields those whose values are walked into or are objects: ids, relations, Json.
 *
 * @throws {IdError} `INVALID_OPTION`.
 */
export function refuseAmbiguousNames(model: string, fields: Iterable<string>): void {
  for (const field of fields) {
    if (!WORDS.has(field)) continue
    const path = `${model}.${field}`
    throw new IdError(
      'INVALID_OPTION',
      `${path}: "${field}" is a word of Prisma's arguments, so this field can't be told from it; ` +
        `give the field another name, and @map("${field}") to keep its column`,
      { field, path },
    )
  }
}
