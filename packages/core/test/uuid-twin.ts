/** Codecs as the specifications say them, with BigInt and one digit at a time: slow and plain. */

export const numberOf = (bytes: Uint8Array): bigint =>
  bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)

/** 26 digits of base 32, two bits of 0 in front. */
export function base32(number: bigint, digits: string): string {
  let text = ''
  for (let i = 0; i < 26; i++) text = digits.charAt(Number((number >> BigInt(5 * i)) & 31n)) + text
  return text
}

export const uuid = (number: bigint): string =>
  number
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** RFC 9562, section 5.7, field by field. */
export const version7 = (unixTsMs: bigint, randA: bigint, randB: bigint): bigint =>
  (unixTsMs << 80n) | (0b0111n << 76n) | (randA << 64n) | (0b10n << 62n) | randB
