import { IdError } from '@snoflax/core'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KSUID_EPOCH_S = 1_400_000_000
const KSUID_PAYLOAD_BITS = 128n

/**
 * Functions that read Unix milliseconds from keys that contain their creation time and sort by it. KSUIDs and ObjectIds
 * contain seconds only.
 *
 * @throws {IdError} `INVALID_TIME` for a key of another kind.
 *
 * @example
 * const orders: TableOptions = {
 *   table: 'orders',
 *   createdAt: { key: keyTime.uuid7 },
 *   generator: (clock) => flax.generator({ monotonic: true, clock }),
 * }
 */
export const keyTime = {
  /** UUIDv7 (RFC 9562) with hyphens, in either case. */
  uuid7: (key: string): number => {
    const hex = match(
      'a UUIDv7',
      /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i,
      key,
    )
    return Number.parseInt(hex, 16)
  },
  /** ULID in upper case, as the specification writes it. */
  ulid: (key: string): number =>
    Number(number(CROCKFORD, match('a ULID', /^([0-7][0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{16}$/, key))),
  /** cuid, version 1. A cuid2 contains no time. */
  cuid: (key: string): number => Number.parseInt(match('a cuid', /^c([0-9a-z]{8})[0-9a-z]{16}$/, key), 36),
  /** KSUID, 27 characters. */
  ksuid: (key: string): number => {
    const seconds = number(BASE62, match('a KSUID', /^([0-9A-Za-z]{27})$/, key)) >> KSUID_PAYLOAD_BITS
    return (Number(seconds) + KSUID_EPOCH_S) * 1000
  },
  /** MongoDB's ObjectId, 24 hex digits. */
  objectId: (key: string): number =>
    Number.parseInt(match('an ObjectId', /^([0-9a-f]{8})[0-9a-f]{16}$/i, key), 16) * 1000,
}

function match(what: string, pattern: RegExp, key: string): string {
  const found = pattern.exec(key)
  if (found) return found.slice(1).join('')
  throw new IdError('INVALID_TIME', `${JSON.stringify(key)} is not ${what}, so it contains no time`, {
    value: key,
  })
}

function number(digits: string, text: string): bigint {
  return [...text].reduce((sum, digit) => sum * BigInt(digits.length) + BigInt(digits.indexOf(digit)), 0n)
}
