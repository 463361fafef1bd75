import { type Alphabet, alphabet, refuseCharacter } from './alphabet.js'

/** 16 bytes ⇄ 26 characters of 5 bits. The first two bits are 0. */
export interface CrockfordCoder {
  readonly alphabet: Alphabet
  /** The text of two words of 25 bits, the first two of them 0, and four of 20. */
  spell(a: number, b: number, c: number, d: number, e: number, f: number): string
  encode(bytes: Uint8Array): string
  /**
   * The caller has checked the length.
   *
   * @returns the bytes; undefined if the text has more than 128 bits.
   * @throws {IdError} `INVALID_CHARACTER`.
   */
  decode(text: string): Uint8Array | undefined
}

export const BYTE_LENGTH = 16
export const TEXT_LENGTH = 26

/** Crockford's base 32 with these digits, strict: each value has one spelling. */
export function crockford(family: string, characters: string): CrockfordCoder {
  const digits = alphabet(characters)
  const { codes } = digits

  // One call with all codes creates a flat string.
  function spell(a: number, b: number, c: number, d: number, e: number, f: number): string {
    return String.fromCharCode(
      codes[a >>> 20] as number,
      codes[(a >>> 15) & 31] as number,
      codes[(a >>> 10) & 31] as number,
      codes[(a >>> 5) & 31] as number,
      codes[a & 31] as number,
      codes[(b >>> 20) & 31] as number,
      codes[(b >>> 15) & 31] as number,
      codes[(b >>> 10) & 31] as number,
      codes[(b >>> 5) & 31] as number,
      codes[b & 31] as number,
      codes[(c >>> 15) & 31] as number,
      codes[(c >>> 10) & 31] as number,
      codes[(c >>> 5) & 31] as number,
      codes[c & 31] as number,
      codes[(d >>> 15) & 31] as number,
      codes[(d >>> 10) & 31] as number,
      codes[(d >>> 5) & 31] as number,
      codes[d & 31] as number,
      codes[(e >>> 15) & 31] as number,
      codes[(e >>> 10) & 31] as number,
      codes[(e >>> 5) & 31] as number,
      codes[e & 31] as number,
      codes[(f >>> 15) & 31] as number,
      codes[(f >>> 10) & 31] as number,
      codes[(f >>> 5) & 31] as number,
      codes[f & 31] as number,
    )
  }

  return {
    alphabet: digits,
    spell,
    encode(bytes) {
      const at = (i: number): number => bytes[i] as number
      const high = (at(0) << 16) | (at(1) << 8) | at(2)
      const low = (at(3) << 16) | (at(4) << 8) | at(5)
      return spell(
        high >>> 1,
        ((high & 1) << 24) | low,
        (at(6) << 12) | (at(7) << 4) | (at(8) >> 4),
        ((at(8) & 15) << 16) | (at(9) << 8) | at(10),
        (at(11) << 12) | (at(12) << 4) | (at(13) >> 4),
        ((at(13) & 15) << 16) | (at(14) << 8) | at(15),
      )
    },
    decode(text) {
      const digit = (at: number): number => digits.digits[text.charCodeAt(at)] as number
      /** Four digits: 20 bits, or a negative number. */
      const word = (at: number): number =>
        (digit(at) << 15) | (digit(at + 1) << 10) | (digit(at + 2) << 5) | digit(at + 3)
      const high = (word(0) << 5) | digit(4)
      const low = (word(5) << 5) | digit(9)
      const [c, d, e, f] = [word(10), word(14), word(18), word(22)]
      if ((high | low | c | d | e | f) < 0) refuseCharacter(family, digits, text)
      if (high >= 2 ** 23) return undefined
      const time = (high << 1) | (low >>> 24)
      const bytes = new Uint8Array(BYTE_LENGTH)
      bytes[0] = time >> 16
      bytes[1] = time >> 8
      bytes[2] = time
      bytes[3] = low >> 16
      bytes[4] = low >> 8
      bytes[5] = low
      bytes[6] = c >> 12
      bytes[7] = c >> 4
      bytes[8] = (c << 4) | (d >> 16)
      bytes[9] = d >> 8
      bytes[10] = d
      bytes[11] = e >> 12
      bytes[12] = e >> 4
      bytes[13] = (e << 4) | (f >> 16)
      bytes[14] = f >> 8
      bytes[15] = f
      return bytes
    },
  }
}
