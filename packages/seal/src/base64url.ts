// One block as text and back. Buffer's base64url takes several times as long for so few characters, and skips invalid
// ones.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0))
/** −1 keeps its sign through shifts and ORs. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) => CODES.indexOf(code))

/** Characters of a block. */
export const TEXT_LENGTH = 22

/** The 22 characters of the 16 bytes at `at`. */
export function writeBlock(bytes: Uint8Array, at: number): string {
  const a = word(bytes, at)
  const b = word(bytes, at + 3)
  const c = word(bytes, at + 6)
  const d = word(bytes, at + 9)
  const e = word(bytes, at + 12)
  const last = bytes[at + 15] as number
  return String.fromCharCode(
    code(a >> 18),
    code(a >> 12),
    code(a >> 6),
    code(a),
    code(b >> 18),
    code(b >> 12),
    code(b >> 6),
    code(b),
    code(c >> 18),
    code(c >> 12),
    code(c >> 6),
    code(c),
    code(d >> 18),
    code(d >> 12),
    code(d >> 6),
    code(d),
    code(e >> 18),
    code(e >> 12),
    code(e >> 6),
    code(e),
    code(last >> 2),
    code(last << 4),
  )
}

/** Reads 22 characters from `start` on into the 16 bytes at `at`; false if `writeBlock` would not return them. */
export function readBlock(text: string, start: number, bytes: Uint8Array, at: number): boolean {
  let seen = 0
  for (let i = start, j = at; j < at + 15; i += 4, j += 3) {
    const read =
      (value(text, i) << 18) | (value(text, i + 1) << 12) | (value(text, i + 2) << 6) | value(text, i + 3)
    seen |= read
    bytes[j] = read >> 16
    bytes[j + 1] = read >> 8
    bytes[j + 2] = read
  }
  const last = (value(text, start + 20) << 6) | value(text, start + 21)
  bytes[at + 15] = last >> 4
  return (seen | last) >= 0 && (last & 15) === 0
}

const code = (sextet: number): number => CODES[sextet & 63] as number

const value = (text: string, at: number): number => VALUES[text.charCodeAt(at)] ?? -1

const word = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
