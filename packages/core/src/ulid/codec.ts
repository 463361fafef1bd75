import type { Id } from '../family.js'
import { LAST_MS, timeOf, writeTime } from '../monotonic-family.js'
import { isSpelled } from '../primitives/alphabet.js'
import { checkTimeField } from '../primitives/clock.js'
import { checkBytes } from '../primitives/errors.js'
import { CROCKFORD_BYTES, CROCKFORD_DIGITS, crockford, decodeCrockford } from '../primitives/radix.js'

/** A ULID: 26 characters of Crockford's base 32, upper case. */
export type Ulid = Id<'ulid'>

/** The parts of a ULID, for `pack` and from `unpack`. */
export interface UlidFields {
  /** Unix milliseconds, from 1970 for 2^48 ms (8,919 years). */
  readonly timeMs: number
  /** 10 bytes. */
  readonly random: Uint8Array
}

export const NAME = 'ulid'
export const RANDOM_BYTES = 10
export const SPAN = { name: NAME, firstMs: 0, lastMs: LAST_MS }
export const PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

const coder = /* @__PURE__ */ crockford(NAME, '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 'an id')

/** Whether it is the text of an id. */
export const check = (text: string): boolean =>
  text.length === CROCKFORD_DIGITS && text.charCodeAt(0) < 0x38 && isSpelled(coder.alphabet, text, 0)

export const encode = (bytes: Uint8Array): Ulid =>
  coder.encode(checkBytes(NAME, bytes, CROCKFORD_BYTES)) as Ulid

export const decode = (text: string): Uint8Array =>
  decodeCrockford(coder.alphabet, text) ?? (coder.checkDigits(text) as never)

/** The text of 16 bytes. */
export const spell = (bytes: Uint8Array): Ulid => coder.encode(bytes) as Ulid

/** The text of two words of 25 bits for the time and four of 20 for the random part. */
export const spellWords = (a: number, b: number, c: number, d: number, e: number, f: number): Ulid =>
  coder.spell(a, b, c, d, e, f) as Ulid

export function pack({ timeMs, random }: UlidFields): Ulid {
  const bytes = new Uint8Array(CROCKFORD_BYTES)
  writeTime(bytes, checkTimeField(SPAN, timeMs))
  bytes.set(checkBytes(NAME, random, RANDOM_BYTES, 'random'), CROCKFORD_BYTES - RANDOM_BYTES)
  return spell(bytes)
}

export function unpack(id: Ulid): UlidFields {
  const bytes = decode(id)
  return { timeMs: timeOf(bytes), random: bytes.slice(CROCKFORD_BYTES - RANDOM_BYTES) }
}

export const timeMs = (id: Ulid): number => timeOf(decode(id))

export function lowerBoundMs(timeMs: number): Ulid {
  const bytes = new Uint8Array(CROCKFORD_BYTES)
  writeTime(bytes, timeMs)
  return spell(bytes)
}
