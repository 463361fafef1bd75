import type { IdFamily } from '../family.js'
import type { Alphabet } from '../primitives/alphabet.js'
import { hexByteAt } from '../primitives/bytes.js'
import { checkAscii, checkText, escaped, fail, IdError, refuseAt, show } from '../primitives/errors.js'

export const UUID_BYTES = 16
/** Bytes of an id in a uuid8: the version and variant digits and the tag take the other two. */
export const UUID8_BYTES = 14
/** The positions of a uuid8's version and variant digits, both 8. */
const VERSION_DIGIT = 12
const VARIANT_DIGIT = 16
const TAG_BYTE = 15
/** 2026-11-01T00:00:00Z. */
const EXAMPLE_MS = 1_793_491_200_000

/** Characters of a uuid as drivers return it. */
export const UUID_TEXT = 36
/** Where each byte of a uuid begins in its text with hyphens. */
const BYTES_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const
const HYPHEN = 0x2d

const isHyphenated = (text: string): boolean =>
  text.length === UUID_TEXT &&
  text.charCodeAt(8) === HYPHEN &&
  text.charCodeAt(13) === HYPHEN &&
  text.charCodeAt(18) === HYPHEN &&
  text.charCodeAt(23) === HYPHEN

/** The bytes of a uuid's text, in upper or lower case; undefined if the text is not a uuid. */
export function uuidBytes(text: string): Uint8Array | undefined {
  if (!isHyphenated(text)) return undefined
  const bytes = new Uint8Array(UUID_BYTES)
  let seen = 0
  for (let i = 0; i < UUID_BYTES; i++) {
    const byte = hexByteAt(text, BYTES_AT[i] as number)
    seen |= byte
    bytes[i] = byte
  }
  return seen < 0 ? undefined : bytes
}

/**
 * The bytes of a UUID that may have upper-case digits.
 *
 * @throws {IdError} as {@link checkUuid}.
 */
export function bytesOfUuid(family: string, text: string): Uint8Array {
  const bytes = uuidBytes(checkText(family, text, UUID_TEXT))
  if (bytes === undefined) checkUuid(family, text)
  return bytes as Uint8Array
}

const HYPHENS = [8, 13, 18, 23]

/**
 * Checks that the value is the text of a UUID, in upper or lower case.
 *
 * @throws {IdError} `INVALID_TYPE`, `INVALID_LENGTH`, `INVALID_CHARACTER`.
 */
export function checkUuid(family: string, value: unknown): void {
  const text = checkText(family, value, UUID_TEXT)
  checkAscii(family, text)
  const isPart = (one: string, at: number) => (HYPHENS.includes(at) ? one === '-' : /[0-9a-f]/i.test(one))
  const position = Array.from(text).findIndex((one, at) => !isPart(one, at))
  if (position < 0) return
  refuseAt(family, text, position, 'part of a UUID; expected hex digits in groups of 8-4-4-4-12')
}

/** Codes of the two hex digits of each byte, in lower case. */
const HIGH = /* @__PURE__ */ hexCodes(4)
const LOW = /* @__PURE__ */ hexCodes(0)

function hexCodes(shift: number): number[] {
  return Array.from({ length: 256 }, (_, byte) => '0123456789abcdef'.charCodeAt((byte >> shift) & 15))
}

/** The text of a uuid's 16 bytes, in lower case. One call with all codes creates a flat string, far faster than a loop. */
export function uuidText(bytes: Uint8Array): string {
  return String.fromCharCode(
    HIGH[bytes[0] as number] as number,
    LOW[bytes[0] as number] as number,
    HIGH[bytes[1] as number] as number,
    LOW[bytes[1] as number] as number,
    HIGH[bytes[2] as number] as number,
    LOW[bytes[2] as number] as number,
    HIGH[bytes[3] as number] as number,
    LOW[bytes[3] as number] as number,
    HYPHEN,
    HIGH[bytes[4] as number] as number,
    LOW[bytes[4] as number] as number,
    HIGH[bytes[5] as number] as number,
    LOW[bytes[5] as number] as number,
    HYPHEN,
    HIGH[bytes[6] as number] as number,
    LOW[bytes[6] as number] as number,
    HIGH[bytes[7] as number] as number,
    LOW[bytes[7] as number] as number,
    HYPHEN,
    HIGH[bytes[8] as number] as number,
    LOW[bytes[8] as number] as number,
    HIGH[bytes[9] as number] as number,
    LOW[bytes[9] as number] as number,
    HYPHEN,
    HIGH[bytes[10] as number] as number,
    LOW[bytes[10] as number] as number,
    HIGH[bytes[11] as number] as number,
    LOW[bytes[11] as number] as number,
    HIGH[bytes[12] as number] as number,
    LOW[bytes[12] as number] as number,
    HIGH[bytes[13] as number] as number,
    LOW[bytes[13] as number] as number,
    HIGH[bytes[14] as number] as number,
    LOW[bytes[14] as number] as number,
    HIGH[bytes[15] as number] as number,
    LOW[bytes[15] as number] as number,
  )
}

const codes = /* @__PURE__ */ new Uint8Array(UUID_BYTES)

/** The id's 16 characters, or its 16 bytes, as the bytes of a uuid. */
export function toUuid(family: IdFamily, id: string): string {
  if (family.byteLength === UUID_BYTES) return uuidText(family.decode(id))
  for (let i = 0; i < UUID_BYTES; i++) codes[i] = id.charCodeAt(i)
  return uuidText(codes)
}

const pairsOfAlphabets = /* @__PURE__ */ new WeakMap<Alphabet, Int8Array>()

/** Codes of the alphabet's digits by the two hex digits that spell them, of 7 bits each; −1 for all other pairs. */
export function hexPairs(alphabet: Alphabet): Int8Array {
  let pairs = pairsOfAlphabets.get(alphabet)
  if (pairs === undefined) {
    pairs = new Int8Array(1 << 14).fill(-1)
    for (const code of alphabet.codes) {
      for (const high of inBothCases(HIGH[code] as number)) {
        for (const low of inBothCases(LOW[code] as number)) pairs[(high << 7) | low] = code
      }
    }
    pairsOfAlphabets.set(alphabet, pairs)
  }
  return pairs
}

const inBothCases = (hexCode: number): number[] => [hexCode, hexCode < 0x61 ? hexCode : hexCode - 0x20]

/**
 * The 16 digits of the alphabet of these pairs whose codes are the bytes of a uuid's text; undefined for every other
 * text. One look-up reads and checks a digit.
 */
// biome-ignore format: as they stand in a uuid
export function digitsOfUuid(pairs: Int8Array, text: string): string | undefined {
  if (!isHyphenated(text)) return undefined
  const at = (i: number): number => text.charCodeAt(i)
  const of = (x: number, y: number): number => pairs[(x << 7) | y] as number
  let x = 0, y = 0, seen = 0
  x = at(0); y = at(1); seen |= x | y; const a = of(x, y)
  x = at(2); y = at(3); seen |= x | y; const b = of(x, y)
  x = at(4); y = at(5); seen |= x | y; const c = of(x, y)
  x = at(6); y = at(7); seen |= x | y; const d = of(x, y)
  x = at(9); y = at(10); seen |= x | y; const e = of(x, y)
  x = at(11); y = at(12); seen |= x | y; const f = of(x, y)
  x = at(14); y = at(15); seen |= x | y; const g = of(x, y)
  x = at(16); y = at(17); seen |= x | y; const h = of(x, y)
  x = at(19); y = at(20); seen |= x | y; const i = of(x, y)
  x = at(21); y = at(22); seen |= x | y; const j = of(x, y)
  x = at(24); y = at(25); seen |= x | y; const k = of(x, y)
  x = at(26); y = at(27); seen |= x | y; const l = of(x, y)
  x = at(28); y = at(29); seen |= x | y; const m = of(x, y)
  x = at(30); y = at(31); seen |= x | y; const n = of(x, y)
  x = at(32); y = at(33); seen |= x | y; const o = of(x, y)
  x = at(34); y = at(35); seen |= x | y; const p = of(x, y)
  // Codes of more bits would be taken for other pairs.
  if (seen > 0x7f || (a | b | c | d | e | f | g | h | i | j | k | l | m | n | o | p) < 0) return undefined
  return String.fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
}

/** UUIDv8: the id's hex digits with an 8 inserted at digits 12 and 16, then zeros and the family's tag. */
export function toUuid8(family: IdFamily, id: string): string {
  const digits = family.decode(id)
  const uuid = new Uint8Array(UUID_BYTES)
  for (let digit = 0; digit < 2 * digits.length; digit++) {
    setDigit(uuid, uuid8Digit(digit), digitOf(digits, digit))
  }
  setDigit(uuid, VERSION_DIGIT, 8)
  setDigit(uuid, VARIANT_DIGIT, 8)
  uuid[TAG_BYTE] = family.tag
  return uuidText(uuid)
}

/** The two storages whose values are uuids. */
export type UuidForm = 'uuid' | 'uuid8'

/** The id of a uuid of this form; without `form`, of the form that its bytes show. */
export function fromUuid(family: IdFamily, uuid: Uint8Array, form?: UuidForm): string {
  if (family.byteLength === UUID_BYTES) return family.encode(uuid)
  return (form ?? formOf(family, uuid)) === 'uuid8'
    ? fromUuid8(family, uuid, form)
    : ofCharacters(family, uuid, uuidText(uuid))
}

/**
 * The id whose characters have these bytes as codes.
 *
 * @param shown the value to show in an error: the user has seen a uuid, not its characters.
 */
export function ofCharacters<AnId extends string>(
  family: IdFamily<AnId>,
  bytes: Uint8Array,
  shown: unknown,
): AnId {
  const text = textOf(bytes)
  try {
    return family.parse(text)
  } catch (error) {
    if (!(error instanceof IdError)) throw error
    const at = error.position ?? 0
    const message = error.message
      .replace(escaped(show(text)), () => show(shown))
      .replace(`${escaped(show(text.charAt(at)))} at`, () => `byte ${show(bytes.subarray(at, at + 1))} at`)
    throw new IdError(error.code, message, { ...error, value: shown })
  }
}

/** uuid8 if the highest bit of byte 8 is set, as in no ASCII character. */
function formOf(family: IdFamily, uuid: Uint8Array): UuidForm {
  return family.storages.includes('uuid') && (uuid[8] as number) < 0x80 ? 'uuid' : 'uuid8'
}

function fromUuid8(family: IdFamily, uuid: Uint8Array, form?: UuidForm): string {
  const digits = 2 * family.byteLength
  const bytes = new Uint8Array(family.byteLength)
  for (let digit = 0; digit < digits; digit++) setDigit(bytes, digit, digitOf(uuid, uuid8Digit(digit)))
  let padding = 0
  for (let digit = digits; digit < 2 * UUID8_BYTES; digit++) padding |= digitOf(uuid, uuid8Digit(digit))
  const isWhole = digitOf(uuid, VERSION_DIGIT) === 8 && digitOf(uuid, VARIANT_DIGIT) === 8
  if (isWhole && padding === 0 && uuid[TAG_BYTE] === family.tag) return family.encode(bytes)
  const text = uuidText(uuid)
  const version = digitOf(uuid, VERSION_DIGIT)
  const found = `a UUIDv${version}`
  if (form === undefined && version !== 8) {
    const example = family.lowerBound(Math.min(Math.max(EXAMPLE_MS, family.firstMs), family.lastMs))
    const reason = `${show(text)} is ${found}, not an id of ${family.name}; expected one such as ${show(example)}`
    fail('NOT_CANONICAL', family.name, reason, text)
  }
  const reason =
    `${show(text)} (${found}) is not a UUIDv8 of this family, which has an 8 at digits 12 and 16, ` +
    `${2 * UUID8_BYTES - digits} zeros and ends in ${family.tag.toString(16).padStart(2, '0')}`
  fail('NOT_CANONICAL', family.name, reason, text)
}

/** The position in a uuid8 of a digit of the id. */
const uuid8Digit = (digit: number): number => (digit < 12 ? digit : digit < 15 ? digit + 1 : digit + 2)

const digitOf = (bytes: Uint8Array, digit: number): number =>
  ((bytes[digit >> 1] as number) >> (digit & 1 ? 0 : 4)) & 15

/** Sets a hex digit that is 0. */
function setDigit(bytes: Uint8Array, digit: number, value: number): void {
  bytes[digit >> 1] = (bytes[digit >> 1] as number) | (digit & 1 ? value : value << 4)
}

const characters: number[] = []

/** The text whose characters have these bytes as codes. */
function textOf(bytes: Uint8Array): string {
  characters.length = bytes.length
  for (let i = 0; i < bytes.length; i++) characters[i] = bytes[i] as number
  return String.fromCharCode.apply(null, characters)
}
