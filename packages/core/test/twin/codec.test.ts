import { flake } from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idBytes, rawFields } from '../arbitraries.js'
import { TWIN_FAMILIES } from '../twin-families.js'

const RUNS = { numRuns: 3000 }

describe.each(TWIN_FAMILIES)('$label and its twin', ({ family, twin, fields, timeMs }) => {
  test('have the same size', () => {
    expect(family.byteLength * 8).toBe(twin.bitCount)
  })

  test('encode bytes to the same text, which decodes to these bytes', () => {
    fc.assert(
      fc.property(idBytes(twin), (bytes) => {
        const text = family.encode(bytes)
        expect(text).toBe(twin.encode(bytes))
        expect(family.decode(text)).toEqual(bytes)
        expect(twin.decode(text)).toEqual({ bytes })
        expect(family.pattern.test(text)).toBe(true)
        expect(family.parse(text)).toBe(text)
      }),
      RUNS,
    )
  })

  test('pack fields into the same bits, and unpack them', () => {
    fc.assert(
      fc.property(rawFields(twin), (raw) => {
        const id = twin.encode(twin.pack(raw))
        expect(family.unpack(id)).toEqual(fields(raw))
        expect(family.pack(fields(raw))).toBe(id)
      }),
      RUNS,
    )
  })

  test('have the same time', () => {
    fc.assert(
      fc.property(rawFields(twin), (raw) => {
        const id = twin.encode(twin.pack(raw))
        expect(BigInt(family.timeMs(id))).toBe(timeMs(raw))
        expect(family.time(id)).toEqual(new Date(Number(timeMs(raw))))
      }),
      RUNS,
    )
  })

  test('have the same smallest and largest id', () => {
    expect(family.min).toBe(twin.encode(twin.bytes(0n)))
    expect(family.max).toBe(twin.encode(twin.bytes(2n ** BigInt(twin.bitCount) - 1n)))
  })
})

test('flake reads decimal texts of every length as BigInt does, and refuses the same as `is`', () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{0,19}$/)
  const ends = fc.tuple(fc.constantFrom(9n, 18n, 19n), fc.bigInt(-2n, 2n)).map(([a, b]) => 10n ** a + b)
  const limit = fc.bigInt(-1000n, 1000n).map((offset) => 2n ** 64n + offset)
  fc.assert(
    fc.property(fc.oneof(digits, ends.map(String), limit.map(String)), (text) => {
      const isId = BigInt(text) < 2n ** 64n
      expect(flake.is(text)).toBe(isId)
      if (isId) expect(flake.toBigInt(flake.parse(text))).toBe(BigInt(text))
      else expect(() => flake.toBigInt(text as never)).toThrow(/must be from 0 to 2\^64 - 1/)
    }),
    { numRuns: 20_000 },
  )
})
