import { checkDefinition, checkEnds } from './check-definition.js'
import { checkSpan, type Time, type TimeSpan, toUnixMs } from './primitives/clock.js'
import { IdError } from './primitives/errors.js'
import { type StandardSchema, standardSchema } from './primitives/standard-schema.js'

declare const familyName: unique symbol

/** What tells ids of two families apart, for the compiler alone. By its name declarations can speak of ids. */
export interface IdBrand<Name extends string> {
  /** No id has it at run time. */
  readonly [familyName]: Name
}

/**
 * An id: the family's canonical text, branded so that ids of two families don't mix. At run time it is a
 * string.
 */
export type Id<Name extends string = string> = string & IdBrand<Name>

/** How an id can lie in a database column; see spec/storage.md. */
export type StorageName = 'uuid' | 'text' | 'binary' | 'uuid8' | 'bigint'

/** One part of an id, as it lies in the bits. */
export interface LayoutField {
  /** As in the family's page in spec/. */
  readonly name: string
  /** How many bits it takes. */
  readonly bits: number
}

/** The bits of a family from the most significant one, and what its time counts. */
export interface Layout {
  /** All of them; together they are the id's bytes. */
  readonly fields: readonly LayoutField[]
  /** Unix milliseconds of time zero. */
  readonly epochMs: number
  /** Milliseconds that one step of the time field lasts. */
  readonly unitMs: number
}

/** Half-open bounds: every id with `from <= time(id) < to` lies in `gte <= id < lt`. */
export interface IdRange<AnId extends string> {
  /** The first id that belongs to the range. */
  readonly gte: AnId
  /** The first one above it that does not. */
  readonly lt: AnId
}

/** What makes ids of one family: the state that it needs (clock, counter, identity) and nothing else. */
export interface IdGenerator<AnId extends string> {
  /** The family whose ids it makes. */
  readonly family: IdFamily<AnId>
  /** A new id. */
  generate(): AnId
  /**
   * `count` new ids, in order.
   *
   * @throws {IdError} `FIELD_OUT_OF_RANGE` for a count below 0, and as `generate`.
   */
  batch(count: number): AnId[]
}

/** What a family is made of. Everything else that {@link IdFamily} offers is derived from it. */
export interface FamilyDefinition<AnId extends string, Fields> {
  /** The word that errors and options use for it, such as `flax`. */
  readonly name: string
  /** What lies where in the bits. It describes; `encode` and `decode` do the work. */
  readonly layout: Layout
  /** Bytes of an id. */
  readonly byteLength: number
  /** Characters of the canonical text; undefined where they vary. */
  readonly textLength: number | undefined
  /** The canonical text, anchored. */
  readonly pattern: RegExp
  /** Allowed storages, the preferred one first. */
  readonly storages: readonly StorageName[]
  /** Last octet of the `uuid8` storage; 0 is for families of your own. */
  readonly tag: number
  /** The first Unix millisecond that an id can carry. */
  readonly firstMs: number
  /** The last one. */
  readonly lastMs: number
  /** The smallest id. Left out where it is all zeros. */
  readonly min?: AnId
  /** The largest id. Left out where it is all ones. */
  readonly max?: AnId
  /** False where the bytes don't sort by time alone, so that `range` selects more than was asked for. */
  readonly exactRange?: boolean
  /** How to make a generator, for families that can't have a default one. */
  readonly generatorExample?: string | undefined
  /** Bytes → text. It throws an {@link IdError} for bytes of another length. */
  encode(bytes: Uint8Array): AnId
  /**
   * Text → bytes. It throws an {@link IdError} for whatever `encode` would not write, a TypeError for what is
   * no string.
   */
  decode(text: string): Uint8Array
  /** Fields → id. It throws an {@link IdError} for a field out of range. */
  pack(fields: Fields): AnId
  /** Id → fields. */
  unpack(id: AnId): Fields
  /** When the id was made, in whole Unix milliseconds. */
  timeMs(id: AnId): number
  /** The smallest id whose time is at or after this whole millisecond, which lies within the span. */
  lowerBoundMs(timeMs: number): AnId
  /** An id above every id whose time is before this millisecond. Left out where it is `lowerBoundMs`. */
  upperBoundMs?(timeMs: number): AnId
  /** Left out where text order is id order. */
  compare?(a: AnId, b: AnId): number
}

/**
 * One id specification: the interface that every family satisfies and every ORM package consumes.
 * All functions are strict: an id that is not exactly in canonical form is an {@link IdError}.
 */
export interface IdFamily<AnId extends string = string, Fields = unknown>
  extends StandardSchema<AnId>,
    TimeSpan {
  /** The bits, and what the time counts. */
  readonly layout: Layout
  /** Bytes of an id. */
  readonly byteLength: number
  /** Characters of the canonical text; undefined where they vary, as in flake. */
  readonly textLength: number | undefined
  /** The canonical text, anchored. It may let more through than `parse` does. */
  readonly pattern: RegExp
  /** Allowed storages, the preferred one first. */
  readonly storages: readonly StorageName[]
  /** Last octet of the `uuid8` storage: 1 to 5, and 0 for families of your own. */
  readonly tag: number
  /** False where `range` selects more than was asked for; recheck with `time` then. */
  readonly exactRange: boolean
  /** How to make a generator; undefined where the family has a default one. */
  readonly generatorExample: string | undefined
  /** The smallest id. */
  readonly min: AnId
  /** The largest id. */
  readonly max: AnId

  /** Bytes → text. @throws {IdError} `INVALID_LENGTH`. */
  encode(bytes: Uint8Array): AnId
  /** Text → bytes. @throws {IdError} `INVALID_LENGTH`, `INVALID_CHARACTER`, `NOT_CANONICAL`. */
  decode(text: string): Uint8Array
  /** Fields → id. @throws {IdError} `FIELD_OUT_OF_RANGE`, `TIME_OUT_OF_RANGE`. */
  pack(fields: Fields): AnId
  /** Id → fields. */
  unpack(id: AnId): Fields
  /** When the id was made, as a Date. */
  time(id: AnId): Date
  /** When the id was made, in whole Unix milliseconds. */
  timeMs(id: AnId): number
  /**
   * The smallest id whose time is at or after the moment.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE` after the family's last moment. Before its epoch it is the smallest
   * id.
   */
  lowerBound(time: Time): AnId
  /**
   * An id above every id whose time is before the moment, and as low as the layout allows: the same as
   * `lowerBound` where `exactRange`, else the end of a window.
   *
   * @throws {IdError} as `lowerBound`.
   */
  upperBound(time: Time): AnId
  /**
   * Bounds for "made from … until before …".
   *
   * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `TIME_OUT_OF_RANGE` as `lowerBound`,
   * `INVALID_TIME`.
   */
  range(from: Time, to: Time): IdRange<AnId>
  /**
   * Checks a value from outside and brands it.
   *
   * @throws {TypeError} if it is no string.
   * @throws {IdError} `INVALID_LENGTH`, `INVALID_CHARACTER`, `NOT_CANONICAL`.
   */
  parse(value: unknown): AnId
  /** Whether the value is an id of this family. */
  is(value: unknown): value is AnId
  /** Negative, zero or positive, for `Array.prototype.sort`. */
  compare(a: AnId, b: AnId): number
}

/**
 * A family out of its definition. Use it to bring an id specification of your own.
 *
 * @throws {IdError} `FIELD_OUT_OF_RANGE`, `INVALID_OPTION` for a definition that contradicts itself.
 *
 * @example
 * // 8 bytes, the milliseconds since 1970, as 16 hex digits
 * const encode = (bytes: Uint8Array) =>
 *   Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') as Id<'tick'>
 * const decode = (text: string) => {
 *   if (!/^[0-9a-f]{16}$/.test(text)) throw new IdError('INVALID_CHARACTER', `tick: no id ("${text}")`)
 *   return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
 * }
 * const pack = (fields: { timeMs: number }) => fields.timeMs.toString(16).padStart(16, '0') as Id<'tick'>
 * const timeMs = (id: Id<'tick'>) => Number(`0x${encode(decode(id))}`)
 * const tick = defineFamily({
 *   name: 'tick',
 *   layout: { fields: [{ name: 'time', bits: 64 }], epochMs: 0, unitMs: 1 },
 *   byteLength: 8,
 *   textLength: 16,
 *   pattern: /^[0-9a-f]{16}$/,
 *   storages: ['uuid', 'text', 'binary'],
 *   tag: 0,
 *   firstMs: 0,
 *   lastMs: 2 ** 42 - 1,
 *   encode,
 *   decode,
 *   pack,
 *   unpack: (id) => ({ timeMs: timeMs(id) }),
 *   timeMs,
 *   lowerBoundMs: (timeMs) => pack({ timeMs }),
 * })
 * tick.lowerBound(new Date('2026-11-01')) // '000001a19467e800'
 */
export function defineFamily<AnId extends string, Fields>(
  definition: FamilyDefinition<AnId, Fields>,
): IdFamily<AnId, Fields> {
  checkDefinition(definition)
  return checkEnds(deriveFamily(definition))
}

/** What {@link defineFamily} gives, of a definition that is known to be right. */
export function deriveFamily<AnId extends string, Fields>(
  definition: FamilyDefinition<AnId, Fields>,
): IdFamily<AnId, Fields> {
  const { name, byteLength, firstMs, encode, decode, timeMs, lowerBoundMs } = definition
  const upperBoundMs = definition.upperBoundMs ?? lowerBoundMs

  // Every family's time is a whole millisecond, so a bound inside a millisecond is the bound of the next one.
  const bound = (time: Time, boundMs: (timeMs: number) => AnId): AnId => {
    const timeMs = Math.ceil(toUnixMs(name, time))
    return timeMs <= firstMs ? family.min : boundMs(checkSpan(definition, timeMs))
  }
  const parse = (value: unknown): AnId => {
    decode(value as string)
    return value as AnId
  }

  const family: IdFamily<AnId, Fields> = {
    // Written out: V8 keeps an object that was put together by a spread as a hash table, which slows every
    // call.
    name,
    layout: definition.layout,
    byteLength,
    textLength: definition.textLength,
    pattern: definition.pattern,
    storages: definition.storages,
    tag: definition.tag,
    firstMs,
    lastMs: definition.lastMs,
    exactRange: definition.exactRange ?? true,
    generatorExample: definition.generatorExample,
    min: definition.min ?? encode(new Uint8Array(byteLength)),
    max: definition.max ?? encode(new Uint8Array(byteLength).fill(0xff)),
    encode,
    decode,
    pack: definition.pack,
    unpack: definition.unpack,
    timeMs,
    time: (id) => new Date(timeMs(id)),
    compare: definition.compare ?? ((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    lowerBound: (time) => bound(time, lowerBoundMs),
    upperBound: (time) => bound(time, upperBoundMs),
    range(from, to) {
      if (toUnixMs(name, from) > toUnixMs(name, to)) {
        throw new IdError(
          'INVALID_OPTION',
          `${name}: a range goes from the earlier moment to the later one`,
          {
            family: name,
            field: 'from',
            value: from,
          },
        )
      }
      return { gte: family.lowerBound(from), lt: family.upperBound(to) }
    },
    parse,
    is(value): value is AnId {
      try {
        parse(value)
        return true
      } catch (error) {
        if (error instanceof IdError || error instanceof TypeError) return false
        throw error
      }
    },
    '~standard': standardSchema(parse),
  }
  return family
}
