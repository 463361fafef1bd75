import { type Alphabet, FOREIGN, refuseCharacter, type TextCoder } from './alphabet.js'

/** 10 bytes ⇄ 16 characters of 5 bits: each word is 20 bits, 4 characters; 5 bytes are 8 characters. */
export function radix32(family: string, alphabet: Alphabet): TextCoder {
  const { codes } = alphabet

  function spell(a: number, b: number, c: number, d: number): string {
    return String.fromCharCode(
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
  }

  return {
    spell,
    encode: (bytes) => spell(highWord(bytes, 0), lowWord(bytes, 2), highWord(bytes, 5), lowWord(bytes, 7)),
    decode(text) {
      const { digits } = alphabet
      const bytes = new Uint8Array(10)
      let foreign = 0
      for (let i = 0, j = 0; i < 16; i += 8, j += 5) {
        const c0 = text.charCodeAt(i)
        const c1 = text.charCodeAt(i + 1)
        const c2 = text.charCodeAt(i + 2)
        const c3 = text.charCodeAt(i + 3)
        const c4 = text.charCodeAt(i + 4)
        const c5 = text.charCodeAt(i + 5)
        const c6 = text.charCodeAt(i + 6)
        const c7 = text.charCodeAt(i + 7)
        const d0 = digits[c0 & 127] as number
        const d1 = digits[c1 & 127] as number
        const d2 = digits[c2 & 127] as number
        const d3 = digits[c3 & 127] as number
        const d4 = digits[c4 & 127] as number
        const d5 = digits[c5 & 127] as number
        const d6 = digits[c6 & 127] as number
        const d7 = digits[c7 & 127] as number
        foreign |=
          ((d0 | d1 | d2 | d3 | d4 | d5 | d6 | d7) & FOREIGN) | ((c0 | c1 | c2 | c3 | c4 | c5 | c6 | c7) >> 7)
        bytes[j] = (d0 << 3) | (d1 >> 2)
        bytes[j + 1] = (d1 << 6) | (d2 << 1) | (d3 >> 4)
        bytes[j + 2] = (d3 << 4) | (d4 >> 1)
        bytes[j + 3] = (d4 << 7) | (d5 << 2) | (d6 >> 3)
        bytes[j + 4] = (d6 << 5) | d7
      }
      if (foreign !== 0) refuseCharacter(family, alphabet, text)
      return bytes
    },
  }
}

/** The first 20 of the 40 bits at `at`. */
function highWord(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 12) | ((bytes[at + 1] as number) << 4) | ((bytes[at + 2] as number) >> 4)
}

/** The last 20 of the 24 bits at `at`. */
function lowWord(bytes: Uint8Array, at: number): number {
  return (((bytes[at] as number) & 15) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
}
