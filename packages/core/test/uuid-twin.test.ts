import { typeid, ulid, uuid7 } from '@snoflax/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base32, numberOf, uuid, version7 } from './uuid-twin.js'

const UPPER = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const bits = (count: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(count) - 1n })
const bytesOf = (number: bigint, length: number) =>
  Uint8Array.from(Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex'))

test('uuid7 and typeid are those of a second implementation', () => {
  const suffix = typeid('user').base
  fc.assert(
    fc.property(bits(48), bits(12), bits(62), (time, randA, randB) => {
      const number = version7(time, randA, randB)
      const fields = { timeMs: Number(time), randomA: Number(randA), randomB: bytesOf(randB, 8) }
      expect(uuid7.pack(fields)).toBe(uuid(number))
      expect(suffix.pack(fields)).toBe(base32(number, UPPER.toLowerCase()))
      for (const family of [uuid7, suffix]) {
        const id = family.encode(bytesOf(number, 16) as never)
        expect(numberOf(family.decode(id))).toBe(number)
        expect(family.unpack(id as never)).toEqual(fields)
        expect(family.timeMs(id as never)).toBe(Number(time))
      }
    }),
  )
})

test('ulid, and typeid with any UUID, are those of a second implementation, over all 128 bits', () => {
  const any = typeid('user', { uuids: 'any' }).base
  fc.assert(
    fc.property(bits(128), (number) => {
      const bytes = bytesOf(number, 16)
      expect(ulid.encode(bytes)).toBe(base32(number, UPPER))
      expect(any.encode(bytes)).toBe(base32(number, UPPER.toLowerCase()))
      expect(numberOf(ulid.decode(ulid.encode(bytes)))).toBe(number)
      expect(numberOf(any.decode(any.encode(bytes)))).toBe(number)
      expect(ulid.toUuid(ulid.encode(bytes))).toBe(uuid(number))
      expect(ulid.fromUuid(uuid(number).toUpperCase())).toBe(ulid.encode(bytes))
      expect(ulid.timeMs(ulid.encode(bytes))).toBe(Number(number >> 80n))
    }),
  )
})
