import type { Time, TimeSpan } from './primitives/clock.js'
import type { StandardSchema } from './primitives/standard-schema.js'

/**
 * The brand by which the compiler distinguishes ids from other strings and from ids of other families and tables. Its
 * members are sentences with which the compiler's messages end, and `Hint` is one that they show beside the brand.
 */
export interface ParsedId<
  Name extends string,
  Of extends string = string,
  Hint extends string = 'pass what its parse() returns',
> {
  /** Exists in types only. A string, not a symbol, so that ids of two copies of this package have one type. */
  readonly '~family': `an id of ${Name}: ${Hint}`
  /** Exists in types only. */
  readonly '~of': Of | `an id of ${Of}: pass what parse<'${Of}'>() returns`
}

/**
 * An id: the family's canonical text, branded so that ids of two families can't be confused. At run time it is a
 * string. A second name also distinguishes tables: `Id<'flax', 'customer'>`, which is assignable to `Id<'flax'>`.
 *
 * @example
 * type CustomerId = Id<'flax', 'customer'>
 * const id: CustomerId = flax.generate() // the second name is inferred from the expected type
 * flax.time(id) // when it was generated
 */
export type Id<Name extends string = string, Of extends string = string> = string & ParsedId<Name, Of>

/**
 * The ids of one table, or of whatever `Of` names: `IdOf<FlaxId, 'customer'>` is `Id<'flax', 'customer'>`.
 *
 * @example
 * const id: IdOf<FlaxId, 'customer'> = flax.parse('Kpcan0M1FakODT4k')
 */
export type IdOf<AnId extends string, Of extends string> = string extends Of
  ? AnId
  : '~time' extends keyof AnId
    ? OpaqueId<NameOf<AnId>, Of>
    : Id<NameOf<AnId>, Of>

/**
 * An id of `opaque('org', …)`: the same as `Id<'org'>`, either can be assigned to the other, but with a mark by which
 * functions that need a time refuse it.
 */
export type OpaqueId<Name extends string = string, Of extends string = string> = Id<Name, Of> & {
  /** Exists in types only. */
  readonly '~time'?: 'none'
}

/** For a parameter: refuses what has or names opaque ids, whose type is `AnId`. */
export type Timed<AnId> = 0 extends 1 & AnId
  ? unknown
  : [AnId] extends [never]
    ? unknown
    : '~time' extends keyof AnId
      ? { readonly '~time': 'opaque ids have no time' }
      : unknown

type NameOf<AnId extends string> = AnId extends ParsedId<infer Name> ? Name : string

/** How a database column can store an id; see spec/storage.md. */
export type StorageName = 'uuid' | 'text' | 'binary' | 'uuid8' | 'bigint'

/** One field of an id. */
export interface LayoutField {
  /** The name on the family's page in spec/. */
  readonly name: string
  /** Number of bits. */
  readonly bits: number
}

/** The bits of a family's ids, and the unit and epoch of their time. */
export interface Layout {
  /** All fields, the most significant first. Their bits add up to the id's bytes. */
  readonly fields: readonly LayoutField[]
  /** The epoch: Unix milliseconds of time zero. */
  readonly epochMs: number
  /** The unit of the time field, in milliseconds. */
  readonly unitMs: number
}

/** The ids of a family: `IdsOf<typeof flax>` is `FlaxId`. */
export type IdsOf<Family> = Family extends {
  readonly '~standard': { readonly types?: { readonly output: infer AnId extends string } }
}
  ? AnId
  : never

/** The members of {@link IdFamily} that ids of `opaque` don't have. Their functions throw an IdError. */
export type Timeless = Readonly<
  Record<
    | 'layout'
    | 'byteLength'
    | 'tag'
    | 'exactRange'
    | 'firstMs'
    | 'lastMs'
    | 'min'
    | 'max'
    | 'encode'
    | 'decode'
    | 'pack'
    | 'unpack'
    | 'time'
    | 'timeMs'
    | 'lowerBound'
    | 'upperBound'
    | 'range',
    never
  >
>

/** Half-open bounds: every id with `from <= time(id) < to` has `gte <= id < lt`. */
export interface IdRange<AnId extends string> {
  /** The smallest id in the range. */
  readonly gte: AnId
  /** The smallest id after the range; undefined if no id is after it. */
  readonly lt?: AnId
  /** The family's last id, in place of `lt`, if it also accepts other keys: they may sort after all ids. */
  readonly lte?: AnId
}

/** Generates ids of one family. It has the state for that: clock, counter, and partition, worker or node. */
export interface IdGenerator<AnId extends string> {
  /** The family whose ids it generates. */
  readonly family: IdFamily<AnId>
  /** A new id. */
  generate(): AnId
  /**
   * `count` new ids, in order.
   *
   * @throws {IdError} `FIELD_OUT_OF_RANGE` for a count below 0, and the errors of `generate`.
   */
  batch(count: number): AnId[]
}

/**
 * One id specification: the interface that every family satisfies and every ORM package consumes.
 * All functions are strict: an id that is not exactly in canonical form is an {@link IdError}.
 */
export interface IdFamily<AnId extends string = string, Fields = unknown>
  extends StandardSchema<AnId>,
    TimeSpan {
  /** The bits, and the unit and epoch of the time. Descriptive only: `encode` and `decode` convert. */
  readonly layout: Layout
  /** Number of bytes of an id. */
  readonly byteLength: number
  /** Number of characters of the canonical text; undefined if the length varies, as in flake. */
  readonly textLength: number | undefined
  /** Matches the canonical text, from `^` to `$`. It may match texts that `parse` refuses. */
  readonly pattern: RegExp
  /** Allowed storages, the preferred one first. */
  readonly storages: readonly StorageName[]
  /** Last octet of the `uuid8` storage: 1 to 5, and 0 for families of your own. */
  readonly tag: number
  /**
   * False if `range` also selects ids outside it; then check them with `time`. So it is for accepted keys, UUIDs of
   * version 4, TypeIDs of any UUID, and uid.
   */
  readonly exactRange: boolean
  /** The smallest id. */
  readonly min: AnId
  /** The largest id. */
  readonly max: AnId

  /** Bytes → text. @throws {IdError} `INVALID_LENGTH`. */
  encode<Of extends string = string>(bytes: Uint8Array): IdOf<AnId, Of>
  /** Text → bytes. @throws {IdError} `INVALID_LENGTH`, `INVALID_CHARACTER`, `NOT_CANONICAL`. */
  decode(text: string): Uint8Array
  /** Fields → id. @throws {IdError} `FIELD_OUT_OF_RANGE`, `TIME_OUT_OF_RANGE`. */
  pack<Of extends string = string>(fields: Fields): IdOf<AnId, Of>
  /** Id → fields. */
  unpack(id: AnId): Fields
  /** When the id was generated, as a Date. */
  time(id: AnId): Date
  /** When the id was generated, in whole Unix milliseconds. */
  timeMs(id: AnId): number
  /**
   * The smallest id generated at or after `time`. For a time before the family's epoch it is the smallest id of all.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE` after the family's last time, `INVALID_TIME`.
   */
  lowerBound<Of extends string = string>(time: Time): IdOf<AnId, Of>
  /**
   * An id larger than every id generated before `time`, and as small as the layout allows: `lowerBound` if
   * `exactRange` is true, else the end of a window, as for uid and families of your own with `upperBoundMs`.
   *
   * @throws {IdError} as `lowerBound`.
   */
  upperBound<Of extends string = string>(time: Time): IdOf<AnId, Of>
  /**
   * Bounds for ids generated at or after `from` and before `to`. If `to` is after the family's last time, `lt` is
   * undefined. If `from` is after it too, the range is empty: both bounds are the smallest id.
   *
   * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`.
   *
   * @example
   * flax.range(new Date('2026-11-01'), new Date('9999-12-31')) // { gte: 'KpGAF---------0-' }
   */
  range<Of extends string = string>(from: Time, to: Time): IdRange<IdOf<AnId, Of>>
  /**
   * Checks a value from outside, such as a path parameter, and brands it.
   *
   * @throws {IdError} `INVALID_TYPE` if it is not a string, `INVALID_LENGTH`, `INVALID_CHARACTER`, `NOT_CANONICAL`.
   */
  parse<Of extends string = string>(value: unknown): IdOf<AnId, Of>
  /** Whether the value is an id of this family. */
  is<Of extends string = string>(value: unknown): value is IdOf<AnId, Of>
  /** Negative, zero or positive, for `Array.prototype.sort`. */
  compare(a: AnId, b: AnId): number
}
