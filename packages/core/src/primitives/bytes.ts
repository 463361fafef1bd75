/** Lower-case hex, two digits a byte. */
export function toHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}

/** Bytes of an even number of hex digits. The caller has checked that there is nothing else. */
export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  )
}

/** The bytes as one unsigned big-endian number. */
export function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes)}`)
}

/** The number as `length` big-endian bytes. The caller has checked that it fits. */
export function fromBigInt(value: bigint, length: number): Uint8Array {
  return fromHex(value.toString(16).padStart(2 * length, '0'))
}

/** Negative, zero or positive as `a` sorts before, with or after `b`, byte by byte. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
