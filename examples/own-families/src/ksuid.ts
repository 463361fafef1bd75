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

/** A KSUID (github.com/segmentio/ksuid): 27 characters of base 62. */
export type Ksuid = Id<'ksuid'>

export interface KsuidFields {
  /** Unix milliseconds of the start of a second, from 2014-05-13 for 2^32 seconds. */
  readonly timeMs: number
  /** 16 bytes. */
  readonly payload: Uint8Array
}

export interface KsuidGeneratorOptions {
  readonly clock?: Clock
  readonly random?: RandomSource
}

export interface KsuidFamily extends IdFamily<Ksuid, KsuidFields> {
  /** A new id of this process's default generator. */
  generate(): Ksuid
  generator(options?: KsuidGeneratorOptions): IdGenerator<Ksuid>
}

const NAME = 'ksuid'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BYTE_LENGTH = 20
const TEXT_LENGTH = 27
const PAYLOAD_BYTES = 16
const UNIT_MS = 1000
const EPOCH_MS = 1_400_000_000_000
const LAST_MS = EPOCH_MS + (2 ** 32 - 1) * UNIT_MS
const MAX_PAYLOAD = 2n ** 128n - 1n
const MAX = 2n ** 160n - 1n
const PATTERN = /^[0-9A-Za-z]{27}$/

// Codec: text ⇄ bytes, strict in both directions.

function encode(bytes: Uint8Array): Ksuid {
  return spell(numberOf(checkBytes('an id', bytes, BYTE_LENGTH)))
}

function decode(text: string): Uint8Array {
  if (typeof text !== 'string') refuse('INVALID_TYPE', 'an id must be a string', text)
  if (text.length !== TEXT_LENGTH) refuse('INVALID_LENGTH', `an id has ${TEXT_LENGTH} characters`, text)
  let number = 0n
  for (let i = 0; i < TEXT_LENGTH; i++) number = number * 62n + BigInt(digitAt(text, i))
  if (number > MAX) refuse('NOT_CANONICAL', 'an id has 160 bits', text)
  return bytesOf(number, BYTE_LENGTH)
}

function digitAt(text: string, position: number): number {
  const digit = ALPHABET.indexOf(text.charAt(position))
  if (digit >= 0) return digit
  return refuse('INVALID_CHARACTER', `position ${position} is one of 0-9, A-Z and a-z`, text, { position })
}

function spell(number: bigint): Ksuid {
  let text = ''
  for (let rest = number; text.length < TEXT_LENGTH; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text
  return text as Ksuid
}

const numberOf = (bytes: Uint8Array): bigint =>
  bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)

const bytesOf = (number: bigint, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => Number((number >> BigInt(8 * (length - 1 - i))) & 0xffn))

// Fields ⇄ id.

function pack({ timeMs, payload }: KsuidFields): Ksuid {
  const seconds = (checkTime(timeMs) - EPOCH_MS) / UNIT_MS
  if (!Number.isInteger(seconds)) {
    refuse('FIELD_OUT_OF_RANGE', 'timeMs begins a second', timeMs, { field: 'timeMs' })
  }
  return join(seconds, numberOf(checkBytes('payload', payload, PAYLOAD_BYTES)))
}

const join = (seconds: number, payload: bigint): Ksuid => spell((BigInt(seconds) << 128n) | payload)

function unpack(id: Ksuid): KsuidFields {
  const bytes = decode(id)
  const seconds = Number(numberOf(bytes.subarray(0, BYTE_LENGTH - PAYLOAD_BYTES)))
  return { timeMs: EPOCH_MS + seconds * UNIT_MS, payload: bytes.slice(BYTE_LENGTH - PAYLOAD_BYTES) }
}

// Generator.

const secureRandom: RandomSource = (bytes) => {
  crypto.getRandomValues(bytes)
}

/**
 * Each id is larger than the previous one: within a second, and while the clock is behind, the payload grows by 1;
 * if it would overflow, generation fails.
 */
function createGenerator({ clock = Date.now, random = secureRandom }: KsuidGeneratorOptions = {}) {
  let lastSeconds = -1
  let last = 0n
  const generate = (): Ksuid => {
    const seconds = Math.floor((checkTime(clock()) - EPOCH_MS) / UNIT_MS)
    if (seconds > lastSeconds) {
      last = freshPayload(random)
      lastSeconds = seconds
    } else if (last < MAX_PAYLOAD) last++
    else refuse('SEQUENCE_EXHAUSTED', 'the payload can grow within its second', join(lastSeconds, last))
    return join(lastSeconds, last)
  }
  const batch = (count: number): Ksuid[] => Array.from({ length: checkCount(count) }, generate)
  return { family: ksuid, generate, batch }
}

function freshPayload(random: RandomSource): bigint {
  const bytes = new Uint8Array(PAYLOAD_BYTES)
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
  return refuse('FIELD_OUT_OF_RANGE', 'count must be an integer from 0 to 4294967295', count, {
    field: 'count',
  })
}

function checkTime(timeMs: number): number {
  if (timeMs >= EPOCH_MS && timeMs < LAST_MS + UNIT_MS) return timeMs
  const code = Number.isNaN(timeMs) ? 'INVALID_TIME' : 'TIME_OUT_OF_RANGE'
  return refuse(code, `a time is from ${EPOCH_MS} to ${LAST_MS} Unix ms`, timeMs, { field: 'timeMs' })
}

// The family.

const base = defineFamily<Ksuid, KsuidFields>({
  name: NAME,
  layout: {
    fields: [
      { name: 'time', bits: 32 },
      { name: 'payload', bits: 8 * PAYLOAD_BYTES },
    ],
    epochMs: EPOCH_MS,
    unitMs: UNIT_MS,
  },
  byteLength: BYTE_LENGTH,
  textLength: TEXT_LENGTH,
  pattern: PATTERN,
  storages: ['text', 'binary'],
  tag: 0,
  firstMs: EPOCH_MS,
  lastMs: LAST_MS,
  encode,
  decode,
  pack,
  unpack,
  timeMs: (id) => unpack(id).timeMs,
  lowerBoundMs: (timeMs) => join(Math.ceil((timeMs - EPOCH_MS) / UNIT_MS), 0n),
})

/**
 * KSUID as a family.
 *
 * @example
 * const id = ksuid.generate() // e.g. '35sAMfO7LYS3rXVvh0yLYQxdXBi'
 * ksuid.time(id) // the second in which it was generated
 */
export const ksuid: KsuidFamily = Object.assign(base, {
  generate: (): Ksuid => standard.generate(),
  generator: createGenerator,
})

const standard = createGenerator()
