import { IdError } from '@snoflax/core'
import type { IdColumnDefinition } from '../columns/definition.js'

/**
 * A foreign key that is declared as an id column says nothing else than its target.
 *
 * @throws {IdError} `INVALID_OPTION` with entity and property.
 */
export function checkAgreement(
  own: IdColumnDefinition,
  target: IdColumnDefinition | undefined,
  place: string,
  targetPlace: string,
): void {
  const says = (what: string) => {
    throw new IdError('INVALID_OPTION', `${place}: ${what}`, { family: own.family.name, path: place })
  }
  if (target === undefined) says(`it references ${targetPlace}, which is no id column`)
  else if (target.family.name !== own.family.name) {
    says(
      `it holds ids of ${own.family.name}, but references ${targetPlace} with ids of ${target.family.name}`,
    )
  } else if (own.storage !== undefined && own.storage !== target.storage) {
    says(`it asks for storage ${own.storage}, but takes that of ${targetPlace}; leave it out here`)
  }
}
