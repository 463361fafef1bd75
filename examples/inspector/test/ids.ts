import type { IdFamily } from '@snoflax/core'
import fc from 'fast-check'
import { FAMILIES } from '#inspector/families'

export const family = (name: string): IdFamily => {
  const found = FAMILIES.find((one) => one.name === name)
  if (!found) throw new Error(`no family ${name}`)
  return found
}

/** Requirements of some families on their bytes; in others all bytes are an id. */
const SHAPES: Readonly<Record<string, (bytes: Uint8Array) => void>> = {
  uuid7: version7,
  typeid: version7,
  twitter(bytes) {
    bytes[0] = (bytes[0] as number) & 0x7f
  },
}

function version7(bytes: Uint8Array): void {
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
}

/** Any id of any family. */
export const anyId = fc.constantFrom(...FAMILIES).chain((one) =>
  fc.record({
    family: fc.constant(one),
    id: fc.uint8Array({ minLength: one.byteLength, maxLength: one.byteLength }).map((bytes) => {
      SHAPES[one.name]?.(bytes)
      return one.encode(bytes)
    }),
  }),
)

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
