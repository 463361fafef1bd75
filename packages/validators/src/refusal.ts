import { IdError, type IdFamily } from '@snoflax/core'

/** Why the value is not an id of the family; undefined if it is one. */
export function refusal(family: IdFamily, value: unknown): IdError | undefined {
  try {
    family.parse(value)
    return undefined
  } catch (error) {
    if (error instanceof IdError) return error
    throw error
  }
}

/** The message for a value that is not an id. */
export const messageOf = (family: IdFamily, value: unknown): string => refusal(family, value)?.message ?? ''

/** Pattern and lengths, as JSON Schema describes an id besides its type. */
export function keywordsOf(family: IdFamily): Record<string, unknown> {
  const { type: _, ...keywords } = family['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  return keywords
}
