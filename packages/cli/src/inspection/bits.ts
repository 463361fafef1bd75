import type { AnyFamily } from '../ids/families.js'

/** A field of the layout with the bits of one id. */
export interface FieldBits {
  readonly name: string
  readonly bits: string
  /** The bits as an unsigned number, in decimal: it may be above 2^53. */
  readonly value: string
}

/** The id's bits, field by field, the most significant first. */
export function fieldBits(family: AnyFamily, id: string): FieldBits[] {
  const bits = Array.from(family.decode(id), (byte) => byte.toString(2).padStart(8, '0')).join('')
  let start = 0
  return family.layout.fields.map(({ name, bits: length }) => {
    const own = bits.slice(start, start + length)
    start += length
    return { name, bits: own, value: BigInt(`0b${own}`).toString() }
  })
}
