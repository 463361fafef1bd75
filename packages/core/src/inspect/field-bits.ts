import type { IdFamily } from '../family.js'
import { checkFamily } from '../identity.js'

/** A field of a family's layout, with its bits in one id. */
export interface FieldBits {
  /** Its name in the layout. */
  readonly name: string
  /** Its first bit; 0 is the id's most significant bit. */
  readonly position: number
  /** Its bits as `0` and `1`. */
  readonly bits: string
  /** Its bits as an unsigned number. */
  readonly value: bigint
}

/**
 * The bits of an id by the fields of its layout, the most significant first. `unpack` returns their meaning.
 *
 * @throws {IdError} for a malformed id, `INVALID_OPTION` for a value that is not a family.
 *
 * @example
 * const [, tickTock, meta] = fieldBits(sno, 'brpk4q72xwf2m63l')
 * tickTock // { name: 'tickTock', position: 39, bits: '0', value: 0n }
 * meta?.value // 255n
 */
export function fieldBits(family: IdFamily, id: string): FieldBits[] {
  checkFamily(family, 'fieldBits: family')
  const all = Array.from(family.decode(id), (byte) => byte.toString(2).padStart(8, '0')).join('')
  let next = 0
  return family.layout.fields.map(({ name, bits: width }) => {
    const position = next
    next += width
    const bits = all.slice(position, next)
    return { name, position, bits, value: BigInt(`0b${bits}`) }
  })
}
