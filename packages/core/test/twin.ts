/**
 * A slow plain codec, bit by bit, out of a layout table and an alphabet. It shares nothing with the package, so that
 * the two can be compared.
 */

/** Names and widths, from the most significant bit. */
export type BitTable = readonly (readonly [name: string, width: number])[]

/** The number in each field of a bit table. */
export type RawFields = Readonly<Record<string, bigint>>

/** What a strict decoder says to a text: its bytes, or the first rule that it breaks. */
export type Verdict =
  | { readonly bytes: Uint8Array }
  | { readonly code: 'INVALID_LENGTH' | 'NOT_CANONICAL' | 'FIELD_OUT_OF_RANGE' }
  | { readonly code: 'INVALID_CHARACTER'; readonly position: number }

const DECIMAL_DIGITS = '0123456789'

/** `alphabet` undefined stands for a decimal number. */
export class Twin {
  readonly bitCount: number

  constructor(
    readonly table: BitTable,
    readonly alphabet: string | undefined,
  ) {
    this.bitCount = table.reduce((sum, [, width]) => sum + width, 0)
  }

  pack(fields: RawFields): Uint8Array {
    let bits = ''
    for (const [name, width] of this.table) {
      const field = fields[name]?.toString(2).padStart(width, '0')
      if (field === undefined || field.length !== width || field.startsWith('-')) {
        throw new RangeError(`${name} does not fit ${width} bits: ${fields[name]}`)
      }
      bits += field
    }
    return bytesOfBits(bits)
  }

  unpack(bytes: Uint8Array): RawFields {
    const bits = bitsOfBytes(bytes)
    const fields: Record<string, bigint> = {}
    let at = 0
    for (const [name, width] of this.table) {
      fields[name] = BigInt(`0b${bits.slice(at, at + width)}`)
      at += width
    }
    return fields
  }

  encode(bytes: Uint8Array): string {
    if (this.alphabet === undefined) return this.number(bytes).toString()
    const width = this.bitsACharacter()
    let bits = bitsOfBytes(bytes)
    while (bits.length % width !== 0) bits += '0'
    let text = ''
    for (let at = 0; at < bits.length; at += width) {
      text += this.alphabet.charAt(Number.parseInt(bits.slice(at, at + width), 2))
    }
    return text
  }

  decode(text: string): Verdict {
    const position = Array.from(text).findIndex((one) => (one.codePointAt(0) as number) > 127)
    if (position >= 0) return { code: 'INVALID_CHARACTER', position }
    return this.alphabet === undefined ? this.decodeDecimal(text) : this.decodeDigits(text, this.alphabet)
  }

  /** The bytes as one big-endian number. */
  number(bytes: Uint8Array): bigint {
    return BigInt(`0b${bitsOfBytes(bytes)}`)
  }

  /** The bytes of a number; the inverse of `number`. */
  bytes(number: bigint): Uint8Array {
    return bytesOfBits(number.toString(2).padStart(this.bitCount, '0'))
  }

  private decodeDigits(text: string, alphabet: string): Verdict {
    const width = this.bitsACharacter()
    if (text.length !== Math.ceil(this.bitCount / width)) return { code: 'INVALID_LENGTH' }
    let bits = ''
    for (let position = 0; position < text.length; position++) {
      const digit = alphabet.indexOf(text.charAt(position))
      if (digit < 0) return { code: 'INVALID_CHARACTER', position }
      bits += digit.toString(2).padStart(width, '0')
    }
    if (bits.slice(this.bitCount).includes('1')) return { code: 'NOT_CANONICAL' }
    return { bytes: bytesOfBits(bits.slice(0, this.bitCount)) }
  }

  private decodeDecimal(text: string): Verdict {
    const longest = (2n ** BigInt(this.bitCount) - 1n).toString().length
    if (text.length < 1 || text.length > longest) return { code: 'INVALID_LENGTH' }
    for (let position = 0; position < text.length; position++) {
      if (!DECIMAL_DIGITS.includes(text.charAt(position))) return { code: 'INVALID_CHARACTER', position }
    }
    if (text.length > 1 && text.startsWith('0')) return { code: 'NOT_CANONICAL' }
    const number = BigInt(text)
    return number < 2n ** BigInt(this.bitCount)
      ? { bytes: this.bytes(number) }
      : { code: 'FIELD_OUT_OF_RANGE' }
  }

  private bitsACharacter(): number {
    return Math.log2(this.alphabet?.length ?? 0)
  }
}

function bitsOfBytes(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) {
    for (let place = 128; place >= 1; place /= 2) bits += byte % (2 * place) >= place ? '1' : '0'
  }
  return bits
}

function bytesOfBits(bits: string): Uint8Array {
  const bytes = new Uint8Array(bits.length / 8)
  for (let i = 0; i < bytes.length; i++) {
    let byte = 0
    for (const bit of bits.slice(8 * i, 8 * i + 8)) byte = 2 * byte + Number(bit)
    bytes[i] = byte
  }
  return bytes
}
