import { IdError, show } from './errors.js'

/**
 * The digits of a text form: 32 or 64 ASCII characters in ascending order, so that texts sort as their
 * numbers.
 */
export interface Alphabet {
  /** All digits, in order. */
  readonly characters: string
  /** ASCII code of each digit. */
  readonly codes: readonly number[]
  /** Digit of each ASCII code. −1, where it has none, keeps its sign through shifts and ORs. */
  readonly digits: Int8Array
}

/**
 * An alphabet of 32 or 64 ASCII characters in ascending order.
 *
 * @example
 * alphabet('0123456789ABCDEFGHJKMNPQRSTVWXYZ').digits['Z'.charCodeAt(0)] // 31
 */
export function alphabet(characters: string): Alphabet {
  const codes = Array.from(characters, (character) => character.charCodeAt(0))
  const digits = Int8Array.from({ length: 128 }, (_, code) => codes.indexOf(code))
  return { characters, codes, digits }
}

/**
 * Whether every character from `start` on is a digit of the alphabet. Allocates nothing.
 *
 * @example
 * isSpelled(alphabet('0123456789ABCDEFGHJKMNPQRSTVWXYZ'), '01KB', 0) // true
 */
export function isSpelled({ digits }: Alphabet, text: string, start: number): boolean {
  for (let i = start; i < text.length; i++) {
    // Beyond the table there is no digit, and `undefined >= 0` is false.
    if (!((digits[text.charCodeAt(i)] as number) >= 0)) return false
  }
  return true
}

/**
 * Text of 16 characters ⇄ bytes. `spell` writes four words of four digits each, which lets a generator go
 * from its fields to the text without bytes in between.
 */
export interface TextCoder {
  encode(bytes: Uint8Array): string
  /**
   * The caller has checked the length. `given` is what an error shows, where the caller has padded the text.
   *
   * @throws {IdError} `INVALID_CHARACTER`.
   */
  decode(text: string, given?: string): Uint8Array
  spell(word0: number, word1: number, word2: number, word3: number): string
}

/**
 * Refuses the first character that is not a digit of the alphabet. Call it once a decoder knows that there is one.
 *
 * @throws {IdError} `INVALID_CHARACTER` always, with `position`.
 *
 * @example
 * const digits = alphabet('0123456789ABCDEFGHJKMNPQRSTVWXYZ')
 * const read = (text: string) => (isSpelled(digits, text, 0) ? text : refuseCharacter('ticket', digits, text))
 * read('01KB') // '01KB'
 */
export function refuseCharacter(family: string, { digits, characters }: Alphabet, text: string): never {
  let position = 0
  while ((digits[text.charCodeAt(position)] ?? -1) >= 0) position++
  throw new IdError(
    'INVALID_CHARACTER',
    `${family}: ${show(text.charAt(position))} at position ${position} of ${show(text)} is not one of ${characters}`,
    { family, value: text, position },
  )
}
