import { type Alphabet, alphabet, checkCharacters, isSpelled16 } from './alphabet.js'
import { checkBytes, checkText, fail, show } from './errors.js'

/**
 * Ids of 16 digits ⇄ bytes, as a family's definition has them. `spell` writes four words of four digits each, so that a
 * generator can write the text from its fields without creating bytes.
 */
export interface TextCoder<AnId extends string> {
  /** The digits. */
  readonly alphabet: Alphabet
  /** Number of bytes of an id. */
  readonly byteLength: number
  /** Number of characters: 16. */
  readonly textLength: number
  /** Bytes → text. @throws {IdError} `INVALID_TYPE`, `INVALID_LENGTH`. */
  encode(bytes: Uint8Array): AnId
  /** Text → bytes. @throws {IdError} `INVALID_TYPE`, `INVALID_LENGTH`, `INVALID_CHARACTER`. */
  decode(text: string): Uint8Array
  /** Whether the text is 16 digits. */
  check(text: string): boolean
  /** Whether the characters from `start` on are 16 digits. */
  checkFrom(text: string, start: number): boolean
  /** The text of four words, without a check of their range. */
  spell(word0: number, word1: number, word2: number, word3: number): AnId
}

/** The part of a {@link TextCoder} that needs no bytes: it checks texts, and spells them from words. */
export interface WordCoder<AnId extends string>
  extends Pick<TextCoder<AnId>, 'alphabet' | 'textLength' | 'check' | 'checkFrom' | 'spell'> {
  /** The word of the four digits there; negative if one is not of the alphabet. */
  word(text: string, at: number): number
  /** Throws the error of what `check` refuses. */
  refuse(text: unknown): never
}

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
export const radix64 = <AnId extends string>(family: string, alphabet: Alphabet): TextCoder<AnId> =>
  coder64(family, words64(family, alphabet))

/** {@link radix64} of its words. */
export function coder64<AnId extends string>(family: string, words: WordCoder<AnId>): TextCoder<AnId> {
  const { spell, word } = words
  const read = (bytes: Uint8Array, at: number): number =>
    ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
  return textCoder(family, words, 12, {
    encode: (bytes) => spell(read(bytes, 0), read(bytes, 3), read(bytes, 6), read(bytes, 9)),
    decode(text, bytes) {
      let seen = 0
      for (let i = 0, j = 0; i < 16; i += 4, j += 3) {
        const digits = word(text, i)
        seen |= digits
        bytes[j] = digits >> 16
        bytes[j + 1] = digits >> 8
        bytes[j + 2] = digits
      }
      return seen
    },
  })
}

/** The words of {@link radix64}: 24 bits, 4 characters. */
export function words64<AnId extends string>(family: string, alphabet: Alphabet): WordCoder<AnId> {
  const { codes, digits } = alphabet
  const digit = (text: string, at: number): number => digits[text.charCodeAt(at)] as number
  const word = (text: string, at: number): number =>
    (digit(text, at) << 18) | (digit(text, at + 1) << 12) | (digit(text, at + 2) << 6) | digit(text, at + 3)
  // One call with 16 codes creates a flat string. Joining pieces would create a rope, which costs twice as much to
  // flatten later. With shifts in variables, for both radixes, ids are written and read a third slower.
  const spell = (a: number, b: number, c: number, d: number): string =>
    String.fromCharCode(
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
    )
  return wordCoder(family, alphabet, spell, word)
}

/** 10 bytes ⇄ 16 characters of 5 bits. A word is 20 bits, 4 characters; 5 bytes are 8 characters. */
export function radix32<AnId extends string>(family: string, alphabet: Alphabet): TextCoder<AnId> {
  const { codes, digits } = alphabet
  const spell = (a: number, b: number, c: number, d: number): string =>
    String.fromCharCode(
      codes[(a >>> 15) & 31] as number,
      codes[(a >>> 10) & 31] as number,
      codes[(a >>> 5) & 31] as number,
      codes[a & 31] as number,
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
    )
  const word = (text: string, at: number): number => {
    const digit = (at: number): number => digits[text.charCodeAt(at)] as number
    return (digit(at) << 15) | (digit(at + 1) << 10) | (digit(at + 2) << 5) | digit(at + 3)
  }
  return textCoder(family, wordCoder<AnId>(family, alphabet, spell, word), 10, {
    encode: (bytes) =>
      spell(highWord(bytes, 0), lowWord(bytes, 0), highWord(bytes, 5), lowWord(bytes, 5)) as AnId,
    decode: (text, bytes) => read8(digits, text, 0, bytes, 0) | read8(digits, text, 8, bytes, 5),
  })
}

/** The first 20 of the 40 bits at `at`. */
function highWord(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 12) | ((bytes[at + 1] as number) << 4) | ((bytes[at + 2] as number) >> 4)
}

/** The last 20 of the 40 bits at `at`. */
function lowWord(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at + 2] as number) & 15) << 16) | ((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number)
  )
}

/** Reads 8 digits of 5 bits into 5 bytes. Negative if one is not of the alphabet. */
function read8(digits: Int8Array, text: string, from: number, bytes: Uint8Array, to: number): number {
  const digit = (at: number): number => digits[text.charCodeAt(from + at)] as number
  const high = (digit(0) << 15) | (digit(1) << 10) | (digit(2) << 5) | digit(3)
  const low = (digit(4) << 15) | (digit(5) << 10) | (digit(6) << 5) | digit(7)
  bytes[to] = high >> 12
  bytes[to + 1] = high >> 4
  bytes[to + 2] = (high << 4) | (low >> 16)
  bytes[to + 3] = low >> 8
  bytes[to + 4] = low
  return high | low
}

function wordCoder<AnId extends string>(
  family: string,
  alphabet: Alphabet,
  spell: (a: number, b: number, c: number, d: number) => string,
  word: WordCoder<AnId>['word'],
): WordCoder<AnId> {
  const check = (text: string, start = 0): boolean =>
    text.length - start === 16 && isSpelled16(alphabet, text, start)
  return {
    alphabet,
    textLength: 16,
    check,
    checkFrom: check,
    spell: spell as WordCoder<AnId>['spell'],
    word,
    refuse: (text) => checkCharacters(family, alphabet, checkText(family, text, 16)) as never,
  }
}

const textCoder = <AnId extends string>(
  family: string,
  words: WordCoder<AnId>,
  byteLength: number,
  radix: {
    encode(bytes: Uint8Array): AnId
    /** Writes the bytes. Negative if a character is not of the alphabet. */
    decode(text: string, bytes: Uint8Array): number
  },
): TextCoder<AnId> => ({
  ...words,
  byteLength,
  encode: (bytes) => radix.encode(checkBytes(family, bytes, byteLength)),
  decode(text) {
    const bytes = new Uint8Array(byteLength)
    if (radix.decode(checkText(family, text, 16), bytes) < 0) words.refuse(text)
    return bytes
  },
})

export const CROCKFORD_BYTES = 16
export const CROCKFORD_DIGITS = 26

/**
 * 16 bytes → 26 characters of 5 bits, the first two bits 0: Crockford's base 32 with these digits, strict: each value has
 * one spelling.
 */
export function crockford(family: string, characters: string, what: string) {
  const digits = alphabet(characters)
  const { codes } = digits

  /** The text of two words of 25 bits, the first two of them 0, and four of 20. */
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
    encode(bytes: Uint8Array): string {
      const at = (i: number): number => bytes[i] as number
      const high = (at(0) << 16) | (at(1) << 8) | at(2)
      const low = (at(3) << 16) | (at(4) << 8) | at(5)
      return spell(
        high >>> 1,
        ((high & 1) << 24) | low,
        highWord(bytes, 6),
        lowWord(bytes, 6),
        highWord(bytes, 11),
        lowWord(bytes, 11),
      )
    },
    /** Checks that the text is 26 digits of 128 bits. @throws {IdError} as `decode` of the family. */
    checkDigits(value: unknown): string {
      const text = checkText(family, value, CROCKFORD_DIGITS)
      checkCharacters(family, digits, text)
      if (text.charCodeAt(0) < 0x38) return text
      return fail(
        'NOT_CANONICAL',
        family,
        `${show(text)} has more than 128 bits; ${what} must begin with 0 to 7`,
        text,
      )
    },
  }
}

/** The bytes of a text of {@link crockford}; undefined if it is none. */
export function decodeCrockford({ digits }: Alphabet, text: string): Uint8Array | undefined {
  const digit = (at: number): number => digits[text.charCodeAt(at)] as number
  /** Five digits: 25 bits, or a negative number. */
  const word = (at: number): number =>
    (digit(at) << 20) | (digit(at + 1) << 15) | (digit(at + 2) << 10) | (digit(at + 3) << 5) | digit(at + 4)
  if (typeof text !== 'string' || text.length !== CROCKFORD_DIGITS) return undefined
  const high = word(0)
  const low = word(5)
  const bytes = new Uint8Array(CROCKFORD_BYTES)
  const rest = read8(digits, text, 10, bytes, 6) | read8(digits, text, 18, bytes, 11)
  if ((high | low | rest) < 0 || high >= 2 ** 23) return undefined
  const time = (high << 1) | (low >>> 24)
  bytes[0] = time >> 16
  bytes[1] = time >> 8
  bytes[2] = time
  bytes[3] = low >> 16
  bytes[4] = low >> 8
  bytes[5] = low
  return bytes
}
