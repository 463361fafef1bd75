import { type Alphabet, FOREIGN, refuseCharacter, type TextCoder } from './alphabet.js'

/** 12 bytes ⇄ 16 characters of 6 bits: each word is 3 bytes, 4 characters. */
export function radix64(family: string, alphabet: Alphabet): TextCoder {
  const { codes } = alphabet

  function spell(a: number, b: number, c: number, d: number): string {
    // One call with 16 codes gives a flat string. Joining longer pieces gives a rope, to be flattened later
    // at twice the cost.
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
    )
  }

  return {
    spell,
    encode: (bytes) => spell(word(bytes, 0), word(bytes, 3), word(bytes, 6), word(bytes, 9)),
    decode(text, given = text) {
      const { digits } = alphabet
      const bytes = new Uint8Array(12)
      let foreign = 0
      for (let i = 0, j = 0; i < 16; i += 4, j += 3) {
        const c0 = text.charCodeAt(i)
        const c1 = text.charCodeAt(i + 1)
        const c2 = text.charCodeAt(i + 2)
        const c3 = text.charCodeAt(i + 3)
        const d0 = digits[c0 & 127] as number
        const d1 = digits[c1 & 127] as number
        const d2 = digits[c2 & 127] as number
        const d3 = digits[c3 & 127] as number
        // `& 127` looks at 7 bits of a code only, so codes above ASCII are caught here.
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
