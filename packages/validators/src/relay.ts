import { IdError, type IdFamily } from '@snoflax/core'
import { checkFamilies, show } from '@snoflax/core/adapter'
import type { Families } from './index.js'

/** The content of a global id. */
export type GlobalId<Types extends Families> = {
  readonly [Type in keyof Types & string]: {
    readonly type: Type
    readonly id: ReturnType<Types[Type]['parse']>
  }
}[keyof Types & string]

/** Global ids of the types of a schema. */
export interface GlobalIds<Types extends Families> {
  /** The global id of a row. @throws {IdError} for an id of another family, `INVALID_OPTION` for an unknown type. */
  encode<Type extends keyof Types & string>(type: Type, id: ReturnType<Types[Type]['parse']>): string
  /** Type and id. @throws {IdError} for a value that is not a global id of these types. */
  decode(globalId: unknown): GlobalId<Types>
}

/**
 * Relay's global ids, base64 of `Type:id` as graphql-relay writes them, with the id of each type checked by its family.
 *
 * @example
 * const nodes = globalIds({ Customer: flax, Order: sno })
 * nodes.encode('Customer', flax.parse('Kpcan0M1FakODT4k')) // 'Q3VzdG9tZXI6S3BjYW4wTTFGYWtPRFQ0aw=='
 * nodes.decode('Q3VzdG9tZXI6S3BjYW4wTTFGYWtPRFQ0aw==').id // 'Kpcan0M1FakODT4k'
 */
export function globalIds<const Types extends Families>(types: Types): GlobalIds<Types> {
  checkFamilies(types, 'globalIds')
  const familyOf = (type: string): IdFamily | undefined =>
    Object.hasOwn(types, type) ? types[type] : undefined
  const known = Object.keys(types).join(', ')
  return {
    encode(type, id) {
      const family = familyOf(type)
      if (family) return btoa(`${type}:${family.parse(id)}`)
      const message = `global id: no type ${show(type)}; types are ${known}`
      throw new IdError('INVALID_OPTION', message, { field: 'type', value: type })
    },
    decode(globalId) {
      const text = textOf(globalId)
      const end = text.indexOf(':')
      const type = text.slice(0, end)
      const family = end < 0 ? undefined : familyOf(type)
      if (!family) refuse('INVALID_CHARACTER', `is not the base64 of Type:id with type ${known}`, globalId)
      return { type, id: family.parse(text.slice(end + 1)) } as GlobalId<Types>
    },
  }
}

function textOf(globalId: unknown): string {
  if (typeof globalId !== 'string') refuse('INVALID_TYPE', 'is not a string', globalId)
  let text = ''
  try {
    text = atob(globalId)
  } catch {
    refuse('INVALID_CHARACTER', 'is not base64', globalId)
  }
  // atob accepts white space, spare bits and missing padding, which would be other spellings of the same id.
  return btoa(text) === globalId ? text : refuse('NOT_CANONICAL', 'is not the canonical base64', globalId)
}

function refuse(
  code: 'INVALID_TYPE' | 'INVALID_CHARACTER' | 'NOT_CANONICAL',
  reason: string,
  value: unknown,
): never {
  throw new IdError(code, `global id: ${show(value)} ${reason}`, { value })
}
