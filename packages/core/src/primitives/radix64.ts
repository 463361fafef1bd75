import { type Alphabet, checkDigits, refuseCharacter, type TextCoder } from './alphabet.js'
import { checkBytes, checkText } from './errors.js'

/**
 * 12 bytes ⇄ 16 characters of 6 bits. A word is 3 bytes, 4 characters.
 *
 * @param family its name, for errors.
 * @param alphabet of 64 digits.
 *
 * @example
 * const digits = alphabet('+/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
 * radix64('ticket', digits).encode(new Uint8Array(12)) // '++++++++++++++++'
 */
export function radix64<AnId extends string>(family: string, alphabet: Alphabet): TextCoder<AnId> {
  const { codes } = alphabet
  const check = checkDigits(alphabet)

  function spell(a: number, b: number, c: number, d: number): AnId {
    // One call with 16 codes creates a flat string. Joining pieces would create a rope, which costs twice as much to
    // flatten later.
    return String.fromCharCode(
      codes[(a >>> 18) & 63] as number,
      codes[(a >>> 12) & 63] as number,
      codes[(a >>> 6) & 63] as number,
      codes[a & 63] as number,
      codes[(b >>> 18) & 63] as number,
      codes[(b >>> 12) & 63] as number,
      codes[(b >>> 6) & 63] as number,
      codes[b & 63] as number,
      codes[(c >>> 18) & 63] as number,
      codes[(c >>> 12) & 63] as number,
      codes[(c >>> 6) & 63] as number,
      codes[c & 63] as number,
      codes[(d >>> 18) & 63] as number,
      codes[(d >>> 12) & 63] as number,
      codes[(d >>> 6) & 63] as number,
      codes[d & 63] as number,
    ) as AnId
  }

  function decode(text: string): Uint8Array {
    checkText(family, text, 16)
    const digit = (at: number): number => alphabet.digits[text.charCodeAt(at)] as number
    const bytes = new Uint8Array(12)
    let seen = 0
    for (let i = 0, j = 0; i < 16; i += 4, j += 3) {
      const word = (digit(i) << 18) | (digit(i + 1) << 12) | (digit(i + 2) << 6) | digit(i + 3)
      seen |= word
      bytes[j] = word >> 16
      bytes[j + 1] = word >> 8
      bytes[j + 2] = word
    }
    if (seen < 0) refuseCharacter(family, alphabet, text)
    return bytes
  }

  return {
    alphabet,
    byteLength: 12,
    textLength: 16,
    check,
    checkFrom: check,
    spell,
    encode(bytes) {
      checkBytes(family, bytes, 12)
      return spell(word(bytes, 0), word(bytes, 3), word(bytes, 6), word(bytes, 9))
    },
    decode,
  }
}

function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
}
