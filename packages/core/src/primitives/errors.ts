import { isBytes, isDate } from './realms.js'

/**
 * What went wrong, for handlers that branch on it. The SQL functions raise the SQLSTATE in brackets.
 */
export type IdErrorCode =
  /** A value of the wrong JavaScript type, such as a number where an id must be a string. Not in SQL. */
  | 'INVALID_TYPE'
  /** A text or a byte array of the wrong length [22P02]. */
  | 'INVALID_LENGTH'
  /** A character outside the alphabet, at index `position` [22P02]. */
  | 'INVALID_CHARACTER'
  /**
   * Decodable, but not the canonical form: spare bits set, leading zeros, the tag of another family
   * [22P02].
   */
  | 'NOT_CANONICAL'
  /** A text without the family's prefix, or with another one [22P02]. */
  | 'WRONG_PREFIX'
  /** A text that was not sealed for this kind of id with one of these keys. Not in SQL. */
  | 'INVALID_SEAL'
  /** A number out of range for its field, option or column [22003]. */
  | 'FIELD_OUT_OF_RANGE'
  /** A time before the family's epoch or after its last unit [22008]. */
  | 'TIME_OUT_OF_RANGE'
  /** NaN or an invalid Date [22008]. */
  | 'INVALID_TIME'
  /** A new id of a client whose time is too old, or ahead of the clock [22008]. */
  | 'IMPLAUSIBLE_TIME'
  /** Options that are unknown, malformed, missing or contradict each other [22023]. */
  | 'INVALID_OPTION'
  /**
   * The clock is behind ids already generated, for longer than a blocking call waits; `waitMs` says how long
   * [55000].
   */
  | 'CLOCK_MOVED_BACK'
  /** The generator has used all sequence numbers of this unit of time [55000]. */
  | 'SEQUENCE_EXHAUSTED'
  /** The family has no default generator, and no worker or node was passed [55000]. */
  | 'GENERATOR_REQUIRED'
  /**
   * The generator's number (partition, worker) is leased, and the clock shows a time that the lease doesn't
   * cover, or the lease was released or lost [55000].
   */
  | 'LEASE_EXPIRED'
  /** No number is free to be leased; `waitMs` says when one may be [55000]. */
  | 'LEASE_UNAVAILABLE'
  /** This storage would break the order, precision or size of the family's ids in this database [22023]. */
  | 'STORAGE_REFUSED'
  /** Two ids of different nodes, for an operation within one node [22023]. */
  | 'NODE_MISMATCH'
  /** A library or runtime lacks a member that a package needs; the message names it. Not in SQL. */
  | 'UNSUPPORTED_VERSION'

/** Details of an error; those that don't apply are undefined. */
type IdErrorFacts = Partial<
  Pick<IdError, 'family' | 'value' | 'field' | 'position' | 'waitMs' | 'path' | 'cause'>
>

/** The codes of malformed ids. */
const MALFORMED = /TYPE|LENGTH|CHARACTER|CANONICAL|PREFIX|FIELD|SEAL|IMPLAUSIBLE/

const IS_ID_ERROR = /* @__PURE__ */ Symbol.for('@snoflax/core IdError')

/**
 * The one error class of snoflax. Its message names the value and the rule that it breaks.
 *
 * @example
 * try {
 *   sno.parse('BRPK4Q72XWF2M63L')
 * } catch (error) {
 *   if (error instanceof IdError) console.log(error.code, error.position) // INVALID_CHARACTER 0
 * }
 */
export class IdError extends Error {
  /** `instanceof` holds for errors of every copy of this package that is loaded. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one has instances of its own
    if (this !== IdError) return super[Symbol.hasInstance](value)
    return (value as IdError | null | undefined)?.[IS_ID_ERROR] === true
  }

  /** For logs. */
  declare readonly name: 'IdError'
  /** What went wrong. */
  declare readonly code: IdErrorCode
  /** Name of the id family. */
  declare readonly family: string | undefined
  /** The refused value, as it was passed. */
  declare readonly value: unknown
  /** The field or option that refused the value; `column` for a stored value, undefined for an id from outside. */
  declare readonly field: string | undefined
  /** Index of the first character outside ASCII, or else outside the alphabet. */
  declare readonly position: number | undefined
  /** Milliseconds until the same call can succeed. */
  declare readonly waitMs: number | undefined
  /** Where the value was: entity and property, table and column, or a path in the arguments. */
  declare readonly path: string | undefined
  /**
   * 400 if an id from outside is malformed, so that Fastify, Express, Koa and Nest answer Bad Request. Undefined for
   * all other errors: of options, clocks, leases, and values read from a database.
   */
  declare readonly statusCode: 400 | undefined
  /** The same as `statusCode`. Frameworks, such as Nest 12, recognize HTTP errors by both and `expose`. */
  declare readonly status: 400 | undefined
  /** True if there is a `statusCode`, as http-errors sets it: the client may see the message. */
  declare readonly expose: true | undefined

  constructor(code: IdErrorCode, message: string, facts: IdErrorFacts = {}) {
    const { family, value, field, position, waitMs, path, cause } = {
      __proto__: null,
      ...facts,
    } as IdErrorFacts
    super(escaped(message), cause === undefined ? cause : { cause })
    const statusCode = field === undefined && MALFORMED.test(code) ? 400 : undefined
    Object.assign(this, { name: 'IdError', code, family, value, field, position, waitMs, path, statusCode })
    const hide = (name: string) => Object.defineProperty(this, name, { enumerable: false })
    // Node prints what is enumerable, and of a generator that would be its whole family.
    if (Object(value) === value) hide('value')
    if (statusCode === undefined) return
    // Hidden, since logs have statusCode; writable, since http-errors sets them on errors that it is passed.
    Object.assign(this, { status: statusCode, expose: true })
    hide('status')
    hide('expose')
  }

  /** For responses and logs: code, message and details, without `value` (which may be anything), stack and cause. */
  toJSON(): { readonly code: IdErrorCode; readonly message: string; readonly statusCode: 400 | undefined } {
    return Object.assign({ ...this }, { message: this.message, value: undefined })
  }

  /** Marks the errors of every copy of this package. */
  get [IS_ID_ERROR](): true {
    return true
  }

  /** A copy of this error with `path` set. */
  at(path: string): IdError {
    return new IdError(this.code, `${path}: ${this.message}`, {
      ...this,
      value: this.value,
      path,
      cause: this,
    })
  }
}

/** Control characters but tab and line feed, and those that change the direction of text. */
const UNSAFE = /[^\P{Cc}\t\n]|\p{Bidi_Control}/gu

/** Values and names in messages come from outside, and messages end in terminals and logs. */
export const escaped = (message: string): string =>
  message.replace(UNSAFE, (one) => `\\u${hex(one.charCodeAt(0), 4)}`)

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

const SHOWN_CHARACTERS = 48

/**
 * Formats a value for a message: quoted, of limited length, bytes as hex.
 *
 * @example
 * show(new Uint8Array(1)).length // 4
 */
export function show(value: unknown): string {
  const shorten = (text: string): string =>
    text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  if (typeof value === 'string') return JSON.stringify(shorten(value))
  if (typeof value === 'bigint') return `${value}n`
  if (isBytes(value))
    return `\\x${shorten(Array.from(value.subarray(0, SHOWN_CHARACTERS), (byte) => hex(byte, 2)).join(''))}`
  if (isDate(value)) return Number.isNaN(Number(value)) ? 'an invalid Date' : value.toISOString()
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  return Object(value) === value ? `an ${Array.isArray(value) ? 'array' : 'object'}` : String(value)
}

/**
 * Throws an {@link IdError} whose message begins with the family's name.
 *
 * @param family its name, for errors.
 * @param field the field or option that the value was passed as; undefined for an id.
 * @param position index of the first wrong character of an id.
 * @throws {IdError} with this code, always.
 *
 * @example
 * const half = (gate: number) => gate % 2 === 0 ? gate / 2 : fail('FIELD_OUT_OF_RANGE', 'ticket', 'gate must be even', gate, 'gate')
 * half(8) // 4
 */
export function fail(
  code: IdErrorCode,
  family: string,
  reason: string,
  value: unknown,
  field?: string,
  position?: number,
  cause?: unknown,
): never {
  throw new IdError(code, `${family}: ${reason}`, { family, value, field, position, cause })
}

/**
 * Throws the error for a value of the wrong type.
 *
 * @param family its name, for errors.
 * @param what what the value must be, such as `a gate must be a name`.
 * @param field the field or option that the value was passed as; undefined for an id.
 * @throws {IdError} `INVALID_TYPE` always.
 *
 * @example
 * const named = (gate: unknown) => (typeof gate === 'string' ? gate : refuseType('ticket', 'a gate must be a name', gate))
 * named('north') // 'north'
 */
export function refuseType(family: string, what: string, value: unknown, field?: string): never {
  fail('INVALID_TYPE', family, `${what}, not ${show(value)}`, value, field)
}

/**
 * Returns the value if it is an integer from `minimum` to `maximum`.
 *
 * @throws {IdError} `INVALID_TYPE` for anything but a number, `FIELD_OUT_OF_RANGE`.
 *
 * @example
 * checkInteger('ticket', 'gate', 7, 0, 31) // 7
 */
export function checkInteger(
  family: string,
  field: string,
  value: unknown,
  minimum: number,
  maximum: number,
): number {
  if (typeof value !== 'number') refuseType(family, `${field} must be a number`, value, field)
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    const reason = `${field} must be an integer from ${minimum} to ${maximum}, not ${value}`
    fail('FIELD_OUT_OF_RANGE', family, reason, value, field)
  }
  return value
}

/**
 * Returns the bytes if there are exactly `length` of them.
 *
 * @param field the field that the bytes were passed as; undefined for an id.
 * @throws {IdError} `INVALID_TYPE` for anything but a Uint8Array, `INVALID_LENGTH`.
 *
 * @example
 * checkBytes('ticket', new Uint8Array(8), 8).length // 8
 */
export function checkBytes(family: string, value: unknown, length: number, field?: string): Uint8Array {
  const what = field ?? 'an id'
  if (!isBytes(value)) refuseType(family, `${what} must be a Uint8Array of ${length} bytes`, value, field)
  if (value.length !== length) {
    const reason = `${what} has ${length} bytes, not ${value.length} (${show(value)})`
    fail('INVALID_LENGTH', family, reason, value, field)
  }
  return value
}

/** Returns the value if it is a string; @throws {IdError} `INVALID_TYPE`. */
export function checkString(family: string, value: unknown): string {
  return typeof value === 'string' ? value : refuseType(family, 'an id must be a string', value)
}

/** @throws {IdError} `INVALID_CHARACTER` for a character outside ASCII: the first fault of a text, in every encoding. */
export function checkAscii(family: string, text: string): void {
  const found = /[\u{80}-\u{10ffff}]/u.exec(text)
  if (found !== null) refuseAt(family, text, found.index, 'ASCII', found[0])
}

/** @throws {IdError} `INVALID_CHARACTER` for the character there, which is not what it must be. */
export function refuseAt(
  family: string,
  text: string,
  position: number,
  expected: string,
  character = text.charAt(position),
): never {
  const reason = `${show(character)} at position ${position} of ${show(text)} is not ${expected}`
  fail('INVALID_CHARACTER', family, reason, text, undefined, position)
}

/**
 * Returns the value if it is a string of exactly `length` characters.
 *
 * @throws {IdError} `INVALID_TYPE`, `INVALID_CHARACTER` for one outside ASCII, `INVALID_LENGTH`.
 *
 * @example
 * checkText('ticket', 'T-1', 3) // 'T-1'
 */
export function checkText(family: string, value: unknown, length: number): string {
  const text = checkString(family, value)
  if (text.length === length) return text
  checkAscii(family, text)
  fail('INVALID_LENGTH', family, `an id has ${length} characters, not ${text.length} (${show(text)})`, value)
}
