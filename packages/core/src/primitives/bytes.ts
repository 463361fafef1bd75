import { alphabet } from './alphabet.js'

/** The value of a hex digit by its code, in either case; −1 for every other code. */
const HEX_VALUES: Int8Array = /* @__PURE__ */ hexValues()

function hexValues(): Int8Array {
  const { digits } = alphabet('0123456789abcdef')
  digits.copyWithin('A'.charCodeAt(0), 'a'.charCodeAt(0), 'g'.charCodeAt(0))
  return digits
}

/** The byte of the two hex digits there, in either case; negative if one is not a hex digit. */
export const hexByteAt = (text: string, position: number): number =>
  ((HEX_VALUES[text.charCodeAt(position)] as number) << 4) |
  (HEX_VALUES[text.charCodeAt(position + 1)] as number)

/** The bytes of a hex text. The caller has checked that it has only hex digits, and an even number of them. */
export function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = hexByteAt(hex, 2 * i)
  return bytes
}

/**
 * Reads `count` bytes, at most 6, from index `at` as an unsigned big-endian number. A DataView is many times slower for
 * short arrays: V8 must first move their bytes out of its heap.
 *
 * @example
 * readUint(Uint8Array.of(1, 0, 255), 0, 3) // 65791
 */
export function readUint(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) value = value * 0x100 + (bytes[i] as number)
  return value
}

const wordBytes = /* @__PURE__ */ new Uint8Array(8)
const word = /* @__PURE__ */ viewOf(wordBytes)

function viewOf({ buffer }: Uint8Array): DataView {
  return new DataView(buffer)
}

/** 8 bytes as one unsigned big-endian number. */
export function toBigInt(bytes: Uint8Array): bigint {
  wordBytes.set(bytes)
  return word.getBigUint64(0)
}

/** Two words of 32 bits, the higher one first, as one unsigned number. */
export function joinWords(high: number, low: number): bigint {
  word.setUint32(0, high)
  word.setUint32(4, low)
  return word.getBigUint64(0)
}

/** The number as 8 big-endian bytes. The caller has checked that it fits. */
export function fromBigInt(value: bigint): Uint8Array {
  word.setBigUint64(0, value)
  return wordBytes.slice()
}
