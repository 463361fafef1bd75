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

/** A UUIDv7 (RFC 9562, section 5.7): 36 characters, lower-case hex with hyphens. */
export type Uuid7 = Id<'uuid7'>

export interface Uuid7Fields {
  /** Unix milliseconds, 48 bits. */
  readonly timeMs: number
  /** 12 bits; here a counter. */
  readonly randomA: number
  /** 62 bits: 8 bytes, whose first 2 bits are 0. */
  readonly randomB: Uint8Array
}

export interface Uuid7GeneratorOptions {
  readonly clock?: Clock
  readonly random?: RandomSource
}

export interface Uuid7Family extends IdFamily<Uuid7, Uuid7Fields> {
  /** A new id of this process's default generator. */
  generate(): Uuid7
  generator(options?: Uuid7GeneratorOptions): IdGenerator<Uuid7>
}

const NAME = 'uuid7'
const BYTE_LENGTH = 16
const TEXT_LENGTH = 36
const LAST_MS = 2 ** 48 - 1
const MAX_RANDOM_A = 2 ** 12 - 1
const RANDOM_B_BYTES = 8
const VERSION = 7
const VARIANT = 0b10
const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const SHAPE = 'xxxxxxxx-xxxx-7xxx-[89ab]xxx-xxxxxxxxxxxx'
const HYPHENS: ReadonlySet<number> = new Set([8, 13, 18, 23])

// Codec: text ⇄ bytes, strict in both directions.

function encode(bytes: Uint8Array): Uuid7 {
  if (!(bytes instanceof Uint8Array)) refuse('INVALID_TYPE', 'bytes are a Uint8Array', bytes)
  const text = spell(bytes)
  if (bytes.length !== BYTE_LENGTH) refuse('INVALID_LENGTH', `an id has ${BYTE_LENGTH} bytes`, text)
  return checkShape(text)
}

function decode(text: string): Uint8Array {
  if (typeof text !== 'string') refuse('INVALID_TYPE', 'an id is a string', text)
  if (text.length !== TEXT_LENGTH) refuse('INVALID_LENGTH', `an id has ${TEXT_LENGTH} characters`, text)
  for (let i = 0; i < TEXT_LENGTH; i++) checkCharacter(text, i)
  return bytesOf(checkShape(text).replaceAll('-', ''))
}

const spell = (bytes: Uint8Array): Uuid7 =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as Uuid7

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: BYTE_LENGTH }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16))

function checkCharacter(text: string, position: number): void {
  const allowed = HYPHENS.has(position) ? /-/ : /[0-9a-f]/
  if (allowed.test(text.charAt(position))) return
  refuse('INVALID_CHARACTER', `position ${position} is no part of ${SHAPE}`, text, { position })
}

/** Version and variant are bits that every id has alike: a UUID of another version is none of this family. */
function checkShape(text: string): Uuid7 {
  if (!PATTERN.test(text)) refuse('NOT_CANONICAL', `an id has the form ${SHAPE}`, text)
  return text as Uuid7
}

// Fields ⇄ id.

function pack({ timeMs, randomA, randomB }: Uuid7Fields): Uuid7 {
  const bytes = new Uint8Array(BYTE_LENGTH)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, Math.floor(checkTime(timeMs) / 0x10000))
  view.setUint16(4, timeMs % 0x10000)
  view.setUint16(6, (VERSION << 12) | checkWhole('randomA', randomA, MAX_RANDOM_A))
  bytes.set(checkRandomB(randomB), 8)
  view.setUint8(8, (VARIANT << 6) | view.getUint8(8))
  return spell(bytes)
}

function unpack(id: Uuid7): Uuid7Fields {
  const bytes = decode(id)
  const view = new DataView(bytes.buffer)
  return {
    timeMs: view.getUint32(0) * 0x10000 + view.getUint16(4),
    randomA: view.getUint16(6) & MAX_RANDOM_A,
    randomB: withoutVariant(bytes.slice(8)),
  }
}

function withoutVariant(randomB: Uint8Array): Uint8Array {
  randomB[0] = (randomB[0] as number) & 0x3f
  return randomB
}

// Generator.

const secureRandom: RandomSource = (bytes) => {
  crypto.getRandomValues(bytes)
}

/**
 * Each id is larger than the one before, by RFC 9562, section 6.2, method 1: `randomA` counts within a
 * millisecond, and while the clock is behind. It starts in its lower half; where it runs over, the ids move on
 * to the next millisecond, ahead of the clock.
 */
function createGenerator({ clock = Date.now, random = secureRandom }: Uuid7GeneratorOptions = {}) {
  let lastMs = -1
  let counter = 0
  const generate = (): Uuid7 => {
    const nowMs = checkTime(Math.floor(clock()))
    const fresh = new Uint8Array(2 + RANDOM_B_BYTES)
    random(fresh)
    counter++
    if (nowMs > lastMs || counter > MAX_RANDOM_A) {
      lastMs = Math.max(nowMs, lastMs + 1)
      counter = new DataView(fresh.buffer).getUint16(0) & (MAX_RANDOM_A >> 1)
    }
    return pack({ timeMs: lastMs, randomA: counter, randomB: withoutVariant(fresh.slice(2)) })
  }
  const batch = (count: number): Uuid7[] =>
    Array.from({ length: checkWhole('count', count, 2 ** 32 - 1) }, generate)
  return { family: uuid7, generate, batch }
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

function checkWhole(field: string, value: number, maximum: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= maximum) return value
  return refuse('FIELD_OUT_OF_RANGE', `${field} is a whole number from 0 to ${maximum}`, value, { field })
}

function checkRandomB(value: Uint8Array): Uint8Array {
  if (!(value instanceof Uint8Array))
    refuse('INVALID_TYPE', 'randomB is a Uint8Array', value, { field: 'randomB' })
  if (value.length === RANDOM_B_BYTES && (value[0] as number) < 0x40) return value
  return refuse('FIELD_OUT_OF_RANGE', 'randomB is 62 bits in 8 bytes', value, { field: 'randomB' })
}

function checkTime(timeMs: number): number {
  if (Number.isInteger(timeMs) && timeMs >= 0 && timeMs <= LAST_MS) return timeMs
  const code = Number.isNaN(timeMs) ? 'INVALID_TIME' : 'TIME_OUT_OF_RANGE'
  return refuse(code, `a time is a whole number of Unix ms from 0 to ${LAST_MS}`, timeMs, { field: 'timeMs' })
}

// The family.

const ZEROS = new Uint8Array(RANDOM_B_BYTES)
const ONES = withoutVariant(new Uint8Array(RANDOM_B_BYTES).fill(0xff))

const base = defineFamily<Uuid7, Uuid7Fields>({
  name: NAME,
  layout: {
    fields: [
      { name: 'time', bits: 48 },
      { name: 'version', bits: 4 },
      { name: 'randomA', bits: 12 },
      { name: 'variant', bits: 2 },
      { name: 'randomB', bits: 62 },
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
  // All zeros and all ones, which the defaults would be, are no UUIDv7.
  min: pack({ timeMs: 0, randomA: 0, randomB: ZEROS }),
  max: pack({ timeMs: LAST_MS, randomA: MAX_RANDOM_A, randomB: ONES }),
  encode,
  decode,
  pack,
  unpack,
  timeMs: (id) => unpack(id).timeMs,
  lowerBoundMs: (timeMs) => pack({ timeMs, randomA: 0, randomB: ZEROS }),
})

/**
 * UUIDv7 as a family.
 *
 * @example
 * const id = uuid7.generate() // e.g. '019aa8f2-7c4d-7a31-9d1c-2f6b8e5a4c10'
 * uuid7.time(id) // the moment it was made
 */
export const uuid7: Uuid7Family = Object.assign(base, {
  generate: (): Uuid7 => standard.generate(),
  generator: createGenerator,
})

const standard = createGenerator()
