import type { Id, Layout } from '../family.js'
import { fromBigInt as bytesOf, joinWords, toBigInt as numberOf } from '../primitives/bytes.js'
import { checkSpan, checkTimeField, type TimeSpan } from '../primitives/clock.js'
import {
  checkAscii,
  checkBytes,
  checkInteger,
  checkString,
  fail,
  refuseType,
  show,
} from '../primitives/errors.js'

/** A flake id: an unsigned 64-bit number as decimal text, as snowflake APIs send it. */
export type FlakeId = Id<'flake'>

/** The fields of a flake id. */
export interface FlakeFields {
  /** Unix milliseconds, from the family's epoch for 2^42 ms (139 years). */
  readonly timeMs: number
  /** 0 to 31; the upper half of the generator's id. */
  readonly datacenter: number
  /** 0 to 31; the lower half of the generator's id. */
  readonly worker: number
  /** Number within the millisecond, 0 to 4095. */
  readonly counter: number
}

export const NAME = 'flake'
const TIME_BITS = 42
const COUNTER_BITS = 12
export const MAX_TIME = 0x3ff_ffff_ffff
export const MAX_ID = 0x3ff
export const MAX_DATACENTER = 0x1f
export const MAX_WORKER = 0x1f
export const MAX_COUNTER = 0xfff
export const BYTE_LENGTH = 8
export const PATTERN = /^(?:0|[1-9][0-9]{0,19})$/

export const layout = (epochMs: number): Layout => ({
  fields: [
    { name: 'time', bits: TIME_BITS },
    { name: 'datacenter', bits: 5 },
    { name: 'worker', bits: 5 },
    { name: 'counter', bits: COUNTER_BITS },
  ],
  epochMs,
  unitMs: 1,
})

const MAX_DIGITS = 20
const MAX_UINT64 = 0xffff_ffff_ffff_ffffn

export function encode(bytes: Uint8Array): FlakeId {
  return numberOf(checkBytes(NAME, bytes, BYTE_LENGTH)).toString() as FlakeId
}

export function decode(text: string): Uint8Array {
  return bytesOf(toBigInt(text as FlakeId))
}

const MAX_TEXT = '18446744073709551615'

/** Whether the characters from `start` on are an id: decimal digits without leading zeros, 2^64 - 1 at most. */
export function check(text: string, start = 0): boolean {
  const length = text.length - start
  if (length <= 0 || length > MAX_DIGITS) return false
  let seen = 0
  for (let i = start; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    seen |= digit | (9 - digit)
  }
  if (seen < 0) return false
  if (length > 1 && text.charCodeAt(start) === 48) return false
  return length < MAX_DIGITS || text.slice(start) <= MAX_TEXT
}

/** The id as a number. */
export function toBigInt(id: FlakeId): bigint {
  return (typeof id === 'string' ? readNumber(id) : undefined) ?? refuse(id)
}

/** The last digits of a text are read apart from the others, so that both parts fit a double. */
const LAST_DIGITS = 9
const BILLION = 1_000_000_000

/** The number of a text that {@link check} accepts; takes two thirds of the time of `BigInt(text)`, which checks less. */
function readNumber(text: string): bigint | undefined {
  const { length } = text
  if (length === 0 || length > MAX_DIGITS || (length > 1 && text.charCodeAt(0) === 48)) return undefined
  let seen = 0
  let first = 0
  let last = 0
  let i = 0
  for (; i < length - LAST_DIGITS; i++) {
    const digit = text.charCodeAt(i) - 48
    seen |= digit | (9 - digit)
    first = first * 10 + digit
  }
  for (; i < length; i++) {
    const digit = text.charCodeAt(i) - 48
    seen |= digit | (9 - digit)
    last = last * 10 + digit
  }
  if (seen < 0) return undefined
  // The product of two halves of `first` and a billion, in words of 32 bits.
  const upper = Math.floor(first / 0x10000)
  const product = upper * BILLION
  const carry = Math.floor(product / 0x10000)
  const low = (product - carry * 0x10000) * 0x10000 + (first - upper * 0x10000) * BILLION + last
  const over = Math.floor(low / 0x1_0000_0000)
  const high = carry + over
  return high > 0xffff_ffff ? undefined : joinWords(high, low - over * 0x1_0000_0000)
}

function refuse(value: unknown): never {
  const id = checkString(NAME, value)
  checkAscii(NAME, id)
  if (id.length === 0 || id.length > MAX_DIGITS) {
    fail('INVALID_LENGTH', NAME, `an id has 1 to ${MAX_DIGITS} digits, not ${id.length} (${show(id)})`, id)
  }
  const position = id.search(/[^0-9]/)
  if (position >= 0) {
    const found = `${show(id.charAt(position))} at position ${position} of ${show(id)}`
    fail('INVALID_CHARACTER', NAME, `${found} is not a decimal digit`, id, undefined, position)
  }
  if (id.startsWith('0')) fail('NOT_CANONICAL', NAME, `${show(id)} has leading zeros`, id)
  refuseRange(id)
}

/** The id of a number. @throws {IdError} `FIELD_OUT_OF_RANGE` below 0 and from 2^64. */
export function fromBigInt(value: bigint): FlakeId {
  if (typeof value !== 'bigint') refuseType(NAME, 'fromBigInt needs a bigint', value)
  if (value < 0n || value > MAX_UINT64) refuseRange(value)
  return value.toString() as FlakeId
}

function refuseRange(value: string | bigint): never {
  fail('FIELD_OUT_OF_RANGE', NAME, `an id must be from 0 to 2^64 - 1, not ${value}`, value)
}

/** 16 lower-case hex digits. */
export function toHex(id: FlakeId): string {
  return toBigInt(id)
    .toString(16)
    .padStart(2 * BYTE_LENGTH, '0')
}

/** The id of 1 to 16 lower-case hex digits, with or without `0x`, as flake-idgen's users print them. */
export function fromHex(hex: string): FlakeId {
  if (typeof hex !== 'string') refuseType(NAME, 'fromHex needs a string', hex)
  checkAscii(NAME, hex)
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  if (digits.length === 0 || digits.length > 2 * BYTE_LENGTH) {
    fail('INVALID_LENGTH', NAME, `hex has 1 to 16 digits, not ${digits.length} (${show(hex)})`, hex)
  }
  const position = digits.search(/[^0-9a-f]/)
  if (position >= 0) {
    const reason = `${show(digits.charAt(position))} in ${show(hex)} is not a lower-case hex digit`
    fail('INVALID_CHARACTER', NAME, reason, hex, undefined, position + hex.length - digits.length)
  }
  return BigInt(`0x${digits}`).toString() as FlakeId
}

/** The text of fields that are known to be in range; `time` counts from the epoch, `worker` has 10 bits. */
export function spell(time: number, worker: number, counter: number): FlakeId {
  return ((BigInt(time) << 22n) | BigInt((worker << 12) | counter)).toString() as FlakeId
}

/** Larger than worker and counter together, so that the digits before it depend on the millisecond only. */
const TAIL = 10_000_000

/** `spell` for a generator: keeps the common digits of a millisecond, so that most ids need no BigInt. */
export function speller(): typeof spell {
  let last = -1
  let head = ''
  let tail = 0
  return (time, worker, counter) => {
    if (time !== last) {
      const value = BigInt(time) << 22n
      last = time
      head = value < BigInt(TAIL) ? '' : String(value / BigInt(TAIL))
      tail = Number(value % BigInt(TAIL))
    }
    const rest = tail + ((worker << 12) | counter)
    if (rest >= TAIL || head === '') return spell(time, worker, counter)
    return (head + String(TAIL + rest).slice(1)) as FlakeId
  }
}

/** The functions that depend on the epoch. */
export function epochCodec(epochMs: number) {
  const span: TimeSpan = { name: NAME, firstMs: epochMs, lastMs: epochMs + MAX_TIME }
  const timeOf = (value: bigint): number => epochMs + Number(value >> 22n)
  return {
    span,
    pack: ({ timeMs, datacenter, worker, counter }: FlakeFields): FlakeId =>
      spell(
        checkTimeField(span, timeMs) - epochMs,
        (checkInteger(NAME, 'datacenter', datacenter, 0, MAX_DATACENTER) << 5) |
          checkInteger(NAME, 'worker', worker, 0, MAX_WORKER),
        checkInteger(NAME, 'counter', counter, 0, MAX_COUNTER),
      ),
    unpack(id: FlakeId): FlakeFields {
      const value = toBigInt(id)
      const low = Number(value & 0x3fffffn)
      return {
        timeMs: timeOf(value),
        datacenter: low >> 17,
        worker: (low >> 12) & MAX_WORKER,
        counter: low & MAX_COUNTER,
      }
    },
    timeMs: (id: FlakeId): number => timeOf(toBigInt(id)),
    /** Whole milliseconds since the epoch. @throws {IdError} `TIME_OUT_OF_RANGE`. */
    timeSince: (timeMs: number): number => checkSpan(span, Math.floor(timeMs)) - epochMs,
  }
}
