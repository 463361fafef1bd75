import type { IdFamily } from '@snoflax/core'
import fc from 'fast-check'
import { FAMILIES } from '#inspector/families'

export const family = (name: string): IdFamily => {
  const found = FAMILIES.find((one) => one.name === name)
  if (!found) throw new Error(`no family ${name}`)
  return found
}

/** Any id of any family: any bytes are one. */
export const anyId = fc.constantFrom(...FAMILIES).chain((one) =>
  fc.record({
    family: fc.constant(one),
    id: fc
      .uint8Array({ minLength: one.byteLength, maxLength: one.byteLength })
      .map((bytes) => one.encode(bytes)),
  }),
)

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
