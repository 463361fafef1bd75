import type {
  Collection,
  EntityMetadata,
  EntityName,
  EntityProperty,
  Primary,
  Reference,
} from '@mikro-orm/core'
import { IdError, type IdFamily } from '@snoflax/core'
import { show } from '@snoflax/core/adapter'
import { type IdTyping, idTypeOf, pathOf } from './checks.js'

type Unwrapped<Value> =
  NonNullable<Value> extends Reference<infer Entity extends object> ? Entity : NonNullable<Value>

/** The id that a property stores: its own, or that of the row it refers to. */
type IdOfValue<Value> = [NonNullable<Value>] extends [string]
  ? NonNullable<Value>
  : NonNullable<Value> extends Collection<object> | Date | readonly unknown[]
    ? never
    : NonNullable<Value> extends object
      ? Extract<Primary<Unwrapped<Value>>, string>
      : never

/** The id that is stored at a path, `id`, `customer` or `place.visitId`; never if there is none. */
export type IdAt<Entity, Path extends string> = Path extends keyof Entity
  ? IdOfValue<Entity[Path]>
  : Path extends `${infer Head}.${infer Rest}`
    ? Head extends keyof Entity
      ? IdAt<Unwrapped<Entity[Head]>, Rest>
      : never
    : never

/** The properties of an entity that store an id. */
export type IdName<Entity> = {
  [Name in keyof Entity & string]-?: [IdOfValue<Entity[Name]>] extends [never] ? never : Name
}[keyof Entity & string]

/** A value at a path, as conditions and orders have it: `{ place: { visitId: value } }`. */
export const nested = (path: string, value: unknown): object =>
  path.split('.').reduceRight((inner, name) => ({ [name]: inner }), value) as object

/** A column of ids. */
export interface IdColumn {
  /** Entity and property, for messages. */
  readonly path: string
  readonly family: IdFamily
}

/** Entities with id properties, by their classes. */
const ENTITIES = new WeakMap<object, EntityMetadata>()

export const keepEntity = (meta: EntityMetadata): void => void ENTITIES.set(meta.class, meta)

/**
 * The column of an entity's property.
 *
 * @param usage the call, for messages: ``(args) => `createdAfter(${args}, time)` ``.
 * @throws {IdError} `INVALID_OPTION` for what is no entity, and for a property that isn't an id.
 */
export function idColumnOf(entity: EntityName, property: unknown, usage: string): IdColumn {
  const { meta: schema } = Object(entity) as { readonly meta?: EntityMetadata }
  const meta = ENTITIES.get(schema?.class ?? Object(entity)) ?? schema
  if (meta?.className === undefined) {
    refuse(`pass an entity of MikroORM.init() and its property, such as ${usage}, not ${show(entity)} first`)
  }
  const { className, properties } = meta
  if (typeof property !== 'string') {
    refuse(`pass the name of an id property, such as ${usage}, not ${show(property)}`)
  }
  const path = `${className}.${property}`
  const all: Readonly<Record<string, EntityProperty>> = properties
  const own = Object.hasOwn(all, property)
    ? all[property]
    : Object.values(all).find((prop) => pathOf(meta, prop) === path)
  if (own === undefined) refuse(`${className} has no property ${property}; use ${usage}`)
  const type = idTypeOf(own) ?? (own.type as unknown)
  if (!('newId' in Object(type))) {
    refuse(`${path} isn't an id property, or not before MikroORM.init(); use ${usage}`)
  }
  return { path, family: (type as IdTyping).family }
}

function refuse(message: string): never {
  throw new IdError('INVALID_OPTION', message, { field: 'property' })
}
