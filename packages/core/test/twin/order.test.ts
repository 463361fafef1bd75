import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idBytes } from '../arbitraries.js'
import { TWIN_FAMILIES, type TwinFamily } from '../twin-families.js'

const RUNS = { numRuns: 3000 }

/** Two ids, often neighbours and sometimes the same. */
function pairs({ twin }: TwinFamily): fc.Arbitrary<[Uint8Array, Uint8Array]> {
  const top = 2n ** BigInt(twin.bitCount) - 1n
  const step = fc.oneof(
    fc.bigInt(-2n, 2n),
    fc.bigInt(0n, BigInt(twin.bitCount) - 1n).map((place) => 2n ** place),
  )
  return fc.oneof(
    fc.tuple(idBytes(twin), idBytes(twin)),
    fc.tuple(idBytes(twin), step).map(([bytes, offset]): [Uint8Array, Uint8Array] => {
      const number = twin.number(bytes) + offset
      return [bytes, twin.bytes(number < 0n ? 0n : number > top ? top : number)]
    }),
  )
}

const sign = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0)

// Decimal numbers of different lengths are the exception.
const ORDERED_AS_TEXTS = TWIN_FAMILIES.filter(({ twin }) => twin.alphabet !== undefined)

describe.each(ORDERED_AS_TEXTS)('texts of $label', (twinFamily) => {
  const { family, twin } = twinFamily

  test('sort as their bytes, in JavaScript and as ASCII', () => {
    fc.assert(
      fc.property(pairs(twinFamily), ([a, b]) => {
        const expected = sign(twin.number(a) - twin.number(b))
        const [x, y] = [family.encode(a), family.encode(b)]
        expect(x < y ? -1 : x > y ? 1 : 0).toBe(expected)
        expect(Buffer.compare(Buffer.from(x), Buffer.from(y))).toBe(expected)
      }),
      RUNS,
    )
  })
})

describe.each(TWIN_FAMILIES)('order of $label', (twinFamily) => {
  const { family, twin } = twinFamily

  test('is the same by compare, by bytes and by numbers', () => {
    fc.assert(
      fc.property(pairs(twinFamily), ([a, b]) => {
        const expected = sign(twin.number(a) - twin.number(b))
        expect(Math.sign(family.compare(family.encode(a), family.encode(b)))).toBe(expected)
        expect(Buffer.compare(a, b)).toBe(expected)
      }),
      RUNS,
    )
  })

  test('is that of the numbers after a sort with compare', () => {
    fc.assert(
      fc.property(fc.array(idBytes(twin), { minLength: 2, maxLength: 12 }), (many) => {
        const sorted = many.map((bytes) => family.encode(bytes)).sort(family.compare)
        const numbers = many.map((bytes) => twin.number(bytes)).sort((a, b) => sign(a - b))
        expect(sorted.map((id) => twin.number(family.decode(id)))).toEqual(numbers)
      }),
      { numRuns: 300 },
    )
  })

  test('texts that match the pattern are ids, except decimal numbers from 2^64', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(family.pattern.source)), (text) => {
        const verdict = twin.decode(text)
        // The pattern of a decimal number cannot tell 2^64 - 1 from 2^64.
        if (twin.alphabet === undefined && 'code' in verdict) expect(verdict.code).toBe('FIELD_OUT_OF_RANGE')
        else expect(verdict).toHaveProperty('bytes')
        expect(family.is(text)).toBe('bytes' in verdict)
      }),
      { numRuns: 1000 },
    )
  })
})
