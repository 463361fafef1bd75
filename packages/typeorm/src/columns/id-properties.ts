import type { IdFamily } from '@snoflax/core'

/** Families of decorated properties, by the prototype that they stand on. */
const families = new WeakMap<object, Map<string, IdFamily<string>>>()

export function rememberIdProperty(prototype: object, property: string, family: IdFamily<string>): void {
  const properties = families.get(prototype) ?? new Map<string, IdFamily<string>>()
  families.set(prototype, properties.set(property, family))
}

/** The family of an entity's id property, inherited ones too. */
export function familyOfProperty(entity: object, property: string): IdFamily<string> | undefined {
  const family = families.get(entity)?.get(property)
  const parent: unknown = Object.getPrototypeOf(entity)
  if (family !== undefined || parent === null) return family
  return familyOfProperty(parent as object, property)
}
