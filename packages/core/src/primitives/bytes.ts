const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Lower-case hex, two digits a byte, of all bytes or those in `from <= i < to`. */
export function toHex(bytes: Uint8Array, from = 0, to = bytes.length): string {
  let hex = ''
  for (let i = from; i < to; i++) hex += HEX[bytes[i] as number]
  return hex
}

/** Bytes of an even number of hex digits. The caller has checked that there is nothing else. */
export function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (digitAt(hex, 2 * i) << 4) | digitAt(hex, 2 * i + 1)
  return bytes
}

/** The low bits of the codes of 0 to 9 are 0 to 9, those of a to f and A to F are 1 to 6. */
function digitAt(hex: string, position: number): number {
  const code = hex.charCodeAt(position)
  return (code & 15) + 9 * (code >> 6)
}

/**
 * `count` bytes, up to 6, as an unsigned big-endian number. A DataView would make V8 move the bytes of a
 * short array out of its heap first, at many times the cost.
 */
export function readUint(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) value = value * 0x100 + (bytes[i] as number)
  return value
}

const word = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(8))
const wordBytes = /* @__PURE__ */ new Uint8Array(word.buffer)

/** 8 bytes as one unsigned big-endian number. */
export function toBigInt(bytes: Uint8Array): bigint {
  wordBytes.set(bytes)
  return word.getBigUint64(0)
}

/** The number as 8 big-endian bytes. The caller has checked that it fits. */
export function fromBigInt(value: bigint): Uint8Array {
  word.setBigUint64(0, value)
  return wordBytes.slice()
}
