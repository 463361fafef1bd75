import type { IdFamily } from '@snoflax/core'

/** One field of an id, as it lies in the bits. */
export interface FieldBits {
  readonly name: string
  /** Counted from the most significant bit of the id, both included. */
  readonly first: number
  readonly last: number
  /** `0` and `1`. */
  readonly digits: string
  readonly value: bigint
}

/** The bytes as `0` and `1`. */
export const bitsOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')

/** The fields of an id, in the order of its bits. */
export function fieldsOf(family: IdFamily, id: string): FieldBits[] {
  const bits = bitsOf(family.decode(id))
  let next = 0
  return family.layout.fields.map(({ name, bits: count }) => {
    const first = next
    next += count
    const digits = bits.slice(first, next)
    return { name, first, last: next - 1, digits, value: BigInt(`0b${digits}`) }
  })
}
