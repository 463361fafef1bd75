import {
  type Clock,
  defineFamily,
  type Id,
  IdError,
  type IdErrorCode,
  type IdFamily,
  type IdGenerator,
  type RandomSource,
} from '@snoflax/core'

/** A ULID (github.com/ulid/spec): 26 characters of Crockford's base 32, upper case. */
export type Ulid = Id<'ulid'>

export interface UlidFields {
  /** Unix milliseconds, 48 bits. */
  readonly timeMs: number
  /** 10 bytes. */
  readonly random: Uint8Array
}

export interface UlidGeneratorOptions {
  readonly clock?: Clock
  readonly random?: RandomSource
}

export interface UlidFamily extends IdFamily<Ulid, UlidFields> {
  /** A new id of this process's default generator. */
  generate(): Ulid
  generator(options?: UlidGeneratorOptions): IdGenerator<Ulid>
}

const NAME = 'ulid'
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BYTE_LENGTH = 16
const TEXT_LENGTH = 26
const RANDOM_BYTES = 10
const LAST_MS = 2 ** 48 - 1
const MAX_RANDOM = 2n ** 80n - 1n
const PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

// Codec: text ⇄ bytes, strict in both directions.

function encode(bytes: Uint8Array): Ulid {
  return spell(numberOf(checkBytes('an id', bytes, BYTE_LENGTH)))
}

function decode(text: string): Uint8Array {
  if (typeof text !== 'string') refuse('INVALID_TYPE', 'an id is a string', text)
  if (text.length !== TEXT_LENGTH) refuse('INVALID_LENGTH', `an id has ${TEXT_LENGTH} characters`, text)
  let number = 0n
  for (let i = 0; i < TEXT_LENGTH; i++) number = (number << 5n) | BigInt(digitAt(text, i))
  if (text.charAt(0) > '7') refuse('NOT_CANONICAL', 'the first character is 0 to 7, for 128 bits', text)
  return bytesOf(number, BYTE_LENGTH)
}

/** Strict, as every family: the spec's lower case and its I, L and O for digits have to be mended before. */
function digitAt(text: string, position: number): number {
  const digit = ALPHABET.indexOf(text.charAt(position))
  if (digit >= 0) return digit
  return refuse('INVALID_CHARACTER', `position ${position} is one of ${ALPHABET}`, text, { position })
}

function spell(number: bigint): Ulid {
  let text = ''
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += ALPHABET[Number((number >> shift) & 31n)]
  return text as Ulid
}

const numberOf = (bytes: Uint8Array): bigint =>
  bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)

const bytesOf = (number: bigint, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => Number((number >> BigInt(8 * (length - 1 - i))) & 0xffn))

// Fields ⇄ id.

function pack({ timeMs, random }: UlidFields): Ulid {
  return join(checkTime(timeMs), numberOf(checkBytes('random', random, RANDOM_BYTES)))
}

const join = (timeMs: number, random: bigint): Ulid => spell((BigInt(timeMs) << 80n) | random)

function unpack(id: Ulid): UlidFields {
  const bytes = decode(id)
  return {
    timeMs: Number(numberOf(bytes.subarray(0, BYTE_LENGTH - RANDOM_BYTES))),
    random: bytes.slice(BYTE_LENGTH - RANDOM_BYTES),
  }
}

// Generator.

const secureRandom: RandomSource = (bytes) => {
  crypto.getRandomValues(bytes)
}

/**
 * Each id is larger than the one before, as the spec says: within a millisecond, and while the clock is behind,
 * the random part grows by 1; where it would run over, generation fails.
 */
function createGenerator({ clock = Date.now, random = secureRandom }: UlidGeneratorOptions = {}) {
  let lastMs = -1
  let last = 0n
  const generate = (): Ulid => {
    const nowMs = checkTime(Math.floor(clock()))
    if (nowMs > lastMs) {
      last = freshRandom(random)
      lastMs = nowMs
    } else if (last < MAX_RANDOM) last++
    else refuse('SEQUENCE_EXHAUSTED', 'the random part can grow within its millisecond', join(lastMs, last))
    return join(lastMs, last)
  }
  const batch = (count: number): Ulid[] => Array.from({ length: checkCount(count) }, generate)
  return { family: ulid, generate, batch }
}

function freshRandom(random: RandomSource): bigint {
  const bytes = new Uint8Array(RANDOM_BYTES)
  random(bytes)
  return numberOf(bytes)
}

// Errors: one class, and a message that names the family, the value and the rule.

const SHOWN_CHARACTERS = 48

function refuse(
  code: IdErrorCode,
  rule: string,
  value: unknown,
  facts: { readonly field?: string; readonly position?: number } = {},
): never {
  const shown = String(value).slice(0, SHOWN_CHARACTERS)
  throw new IdError(code, `${NAME}: ${rule}, not ${shown}`, { family: NAME, value, ...facts })
}

function checkBytes(field: string, bytes: Uint8Array, length: number): Uint8Array {
  if (!(bytes instanceof Uint8Array))
    refuse('INVALID_TYPE', `${field} is a Uint8Array of ${length} bytes`, bytes, { field })
  if (bytes.length !== length) refuse('INVALID_LENGTH', `${field} has ${length} bytes`, bytes, { field })
  return bytes
}

function checkCount(count: number): number {
  if (Number.isInteger(count) && count >= 0 && count < 2 ** 32) return count
  return refuse('FIELD_OUT_OF_RANGE', 'count is a whole number from 0 to 4294967295', count, {
    field: 'count',
  })
}

function checkTime(timeMs: number): number {
  if (Number.isInteger(timeMs) && timeMs >= 0 && timeMs <= LAST_MS) return timeMs
  const code = Number.isNaN(timeMs) ? 'INVALID_TIME' : 'TIME_OUT_OF_RANGE'
  return refuse(code, `a time is a whole number of Unix ms from 0 to ${LAST_MS}`, timeMs, { field: 'timeMs' })
}

// The family.

const base = defineFamily<Ulid, UlidFields>({
  name: NAME,
  layout: {
    fields: [
      { name: 'time', bits: 48 },
      { name: 'random', bits: 8 * RANDOM_BYTES },
    ],
    epochMs: 0,
    unitMs: 1,
  },
  byteLength: BYTE_LENGTH,
  textLength: TEXT_LENGTH,
  pattern: PATTERN,
  storages: ['uuid', 'text', 'binary'],
  tag: 0,
  firstMs: 0,
  lastMs: LAST_MS,
  encode,
  decode,
  pack,
  unpack,
  timeMs: (id) => unpack(id).timeMs,
  lowerBoundMs: (timeMs) => join(timeMs, 0n),
})

/**
 * ULID as a family.
 *
 * @example
 * const id = ulid.generate() // e.g. '01KAMFKV2D7MRSGKMP8CTEA5BG'
 * ulid.time(id) // the moment it was made
 */
export const ulid: UlidFamily = Object.assign(base, {
  generate: (): Ulid => standard.generate(),
  generator: createGenerator,
})

const standard = createGenerator()
