import type { Id, Layout } from '../family.js'
import { LAST_MS, timeOf, writeTime } from '../monotonic-family.js'
import { readUint } from '../primitives/bytes.js'
import { checkTimeField } from '../primitives/clock.js'
import { checkBytes, checkInteger, fail, refuseAt, show } from '../primitives/errors.js'
import { checkUuid, uuidBytes, uuidText } from '../storage/uuid.js'

/** A UUIDv7 (RFC 9562, section 5.7): 36 characters, lower-case hex with hyphens. */
export type Uuid7 = Id<'uuid7'>

/** The parts of a UUIDv7, for `pack` and from `unpack`. */
export interface Uuid7Fields {
  /** Unix milliseconds, from 1970 for 2^48 ms (8,919 years). */
  readonly timeMs: number
  /** 12 bits; our generators put the upper part of their counter here. */
  readonly randomA: number
  /** 62 bits: 8 bytes, the first of them below 64. */
  readonly randomB: Uint8Array
}

export const NAME = 'uuid7'
export const BYTE_LENGTH = 16
export const TEXT_LENGTH = 36
export const SPAN = { name: NAME, firstMs: 0, lastMs: LAST_MS }
export const LAYOUT: Layout = {
  fields: [
    { name: 'time', bits: 48 },
    { name: 'version', bits: 4 },
    { name: 'randomA', bits: 12 },
    { name: 'variant', bits: 2 },
    { name: 'randomB', bits: 62 },
  ],
  epochMs: 0,
  unitMs: 1,
}
const MAX_RANDOM_A = 0xfff
const RANDOM_B_BYTES = 8
/** Without the two bits of the variant. */
const MAX_RANDOM_B_BYTE = 0x3f

/** Whether bytes of a UUID have this version, and the variant of RFC 9562. */
export const isVersion = (bytes: Uint8Array, version: number): boolean =>
  (bytes[6] as number) >> 4 === version && (bytes[8] as number) >> 6 === 0b10

/** Which UUIDs a codec accepts. */
export interface UuidVersions {
  /** The canonical text. */
  readonly pattern: RegExp
  /** Description for errors. */
  readonly expected: string
  accepts(bytes: Uint8Array): boolean
}

export const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const VERSION_7: UuidVersions = {
  pattern: PATTERN,
  expected:
    'a UUIDv7; expected xxxxxxxx-xxxx-7xxx-[89ab]xxx-xxxxxxxxxxxx; for a table with UUIDs of version 4 use uuid7.withVersion4()',
  accepts: (bytes) => isVersion(bytes, 7),
}

export const VERSION_7_OR_4: UuidVersions = {
  pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  expected: 'a UUIDv7; expected xxxxxxxx-xxxx-[47]xxx-[89ab]xxx-xxxxxxxxxxxx',
  accepts: (bytes) => isVersion(bytes, 7) || isVersion(bytes, 4),
}

/** The text of 16 bytes. */
export const spell = (bytes: Uint8Array): Uuid7 => uuidText(bytes) as Uuid7

/** Text ⇄ bytes, of these versions. */
export function textCodec({ pattern, expected, accepts }: UuidVersions) {
  return {
    check: (text: string): boolean => pattern.test(text),
    encode(bytes: Uint8Array): Uuid7 {
      if (accepts(checkBytes(NAME, bytes, BYTE_LENGTH))) return spell(bytes)
      return refuseVersion(uuidText(bytes), expected)
    },
    decode: (text: string): Uint8Array =>
      typeof text === 'string' && pattern.test(text)
        ? (uuidBytes(text) as Uint8Array)
        : refuseText(text, expected),
  }
}

/** Throws the error of a text that is not as expected. */
export function refuseText(text: string, expected: string): never {
  checkUuid(NAME, text)
  const upper = text.search(/[A-F]/)
  return upper < 0 ? refuseVersion(text, expected) : refuseAt(NAME, text, upper, 'lower case')
}

function refuseVersion(text: string, expected: string): never {
  fail('NOT_CANONICAL', NAME, `${show(text)} is not ${expected}`, text)
}

/** The bytes of fields. @throws {IdError} as `pack`. */
export function packBytes(family: string, { timeMs, randomA, randomB }: Uuid7Fields): Uint8Array {
  checkTimeField({ ...SPAN, name: family }, timeMs)
  checkInteger(family, 'randomA', randomA, 0, MAX_RANDOM_A)
  checkBytes(family, randomB, RANDOM_B_BYTES, 'randomB')
  checkInteger(family, 'randomB[0]', randomB[0], 0, MAX_RANDOM_B_BYTE)
  const bytes = lowestOf(timeMs)
  bytes[6] = 0x70 | (randomA >> 8)
  bytes[7] = randomA
  bytes.set(randomB, 8)
  bytes[8] = 0x80 | (randomB[0] as number)
  return bytes
}

/** The fields of a UUIDv7. */
export function unpackBytes(bytes: Uint8Array): Uuid7Fields {
  const randomB = bytes.slice(8)
  randomB[0] = (randomB[0] as number) & MAX_RANDOM_B_BYTE
  return { timeMs: timeOf(bytes), randomA: readUint(bytes, 6, 2) & MAX_RANDOM_A, randomB }
}

/** The smallest UUIDv7 of a millisecond. */
export function lowestOf(timeMs: number): Uint8Array {
  const bytes = new Uint8Array(BYTE_LENGTH)
  writeTime(bytes, timeMs)
  bytes[6] = 0x70
  bytes[8] = 0x80
  return bytes
}
