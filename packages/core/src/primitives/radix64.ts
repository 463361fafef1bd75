import { type Alphabet, FOREIGN, refuseCharacter, type TextCoder } from './alphabet.js'

/** 12 bytes ⇄ 16 characters of 6 bits: each word is 3 bytes, 4 characters. */
export function radix64(family: string, alphabet: Alphabet): TextCoder {
  const { codes, digits } = alphabet
  const code = (digit: number): number => codes[digit & 63] as number
  const digit = (code: number): number => digits[code & 127] as number

  function spell(a: number, b: number, c: number, d: number): string {
    // One call with 16 codes gives a flat string; joining longer pieces gives a rope that is flattened later, at twice the cost.
    return String.fromCharCode(
      code(a >>> 18),
      code(a >>> 12),
      code(a >>> 6),
      code(a),
      code(b >>> 18),
      code(b >>> 12),
      code(b >>> 6),
      code(b),
      code(c >>> 18),
      code(c >>> 12),
      code(c >>> 6),
      code(c),
      code(d >>> 18),
      code(d >>> 12),
      code(d >>> 6),
      code(d),
    )
  }

  return {
    alphabet,
    spell,
    encode: (bytes) => spell(word(bytes, 0), word(bytes, 3), word(bytes, 6), word(bytes, 9)),
    decode(text, given = text) {
      const bytes = new Uint8Array(12)
      let foreign = 0
      for (let i = 0, j = 0; i < 16; i += 4, j += 3) {
        const c0 = text.charCodeAt(i)
        const c1 = text.charCodeAt(i + 1)
        const c2 = text.charCodeAt(i + 2)
        const c3 = text.charCodeAt(i + 3)
        const d0 = digit(c0)
        const d1 = digit(c1)
        const d2 = digit(c2)
        const d3 = digit(c3)
        // `digit` looks at 7 bits of a code only, so codes above ASCII are caught here.
        foreign |= ((d0 | d1 | d2 | d3) & FOREIGN) | ((c0 | c1 | c2 | c3) >> 7)
        bytes[j] = (d0 << 2) | (d1 >> 4)
        bytes[j + 1] = (d1 << 4) | (d2 >> 2)
        bytes[j + 2] = (d2 << 6) | d3
      }
      if (foreign !== 0) refuseCharacter(family, alphabet, given)
      return bytes
    },
  }
}

function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
}
