import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactQuarter, numberOfBits, quarters } from './arbitraries.js'
import { expectRefusal } from './refusal.js'
import type { RawFields } from './twin.js'
import { TWIN_FAMILIES, type TwinFamily, zeroed } from './twin-families.js'

const RUNS = { numRuns: 500 }

const asMs = (quarter: bigint): number => Number(quarter) / 4
/** A bound inside a millisecond is that of the next one, since the time of an id is whole. */
const nextMs = (quarter: bigint): bigint => (quarter + (((-quarter % 4n) + 4n) % 4n)) / 4n

function plainLowerBound({ twin, firstAt, epochMs }: TwinFamily, quarter: bigint): string {
  const time = nextMs(quarter)
  return twin.encode(twin.pack(zeroed(twin, time <= epochMs ? {} : firstAt(time))))
}

/** The start of the next window, unless the first step at or after the moment starts one itself. */
function plainUpperBound(twinFamily: TwinFamily, quarter: bigint): string {
  const { twin, firstAt, epochMs, windowSeconds } = twinFamily
  const time = nextMs(quarter)
  if (windowSeconds === 0n || time <= epochMs) return plainLowerBound(twinFamily, quarter)
  const { megaSeconds, secondsHigh, secondsLow, step } = firstAt(time) as Record<string, bigint>
  if (secondsLow === 0n && step === 0n) return plainLowerBound(twinFamily, quarter)
  const next = { megaSeconds, secondsHigh: (secondsHigh as bigint) + 1n } as RawFields
  return twin.encode(twin.pack(zeroed(twin, next)))
}

/** Ids that a clock could give in the seconds (of the last window, too) around a moment, of any node and number. */
function idsAround(twinFamily: TwinFamily, quarter: bigint): fc.Arbitrary<RawFields> {
  const { twin, firstAt, family, windowSeconds } = twinFamily
  const farMs = windowSeconds * 2000n
  const rest = twin.table.filter(([name]) => !Object.hasOwn(firstAt(BigInt(family.firstMs)), name))
  return fc
    .tuple(
      fc.oneof(fc.bigInt(-12n, 12n), fc.bigInt(-1100n, 1100n), fc.bigInt(-farMs - 5n, farMs + 5n)),
      fc.record(Object.fromEntries(rest.map(([name, width]) => [name, numberOfBits(width)]))),
    )
    .map(([offsetMs, others]) => {
      const time = quarter / 4n + offsetMs
      const [first, last] = [BigInt(family.firstMs), BigInt(family.lastMs)]
      return { ...firstAt(time < first ? first : time > last ? last : time), ...others }
    })
}

/** The nearest id below, of those that a clock can give. */
function before({ twin, fromClock }: TwinFamily, id: string): string | undefined {
  const verdict = twin.decode(id)
  if (!('bytes' in verdict)) throw new Error(`${id} is no id`)
  const number = twin.number(verdict.bytes)
  if (number === 0n) return undefined
  return twin.encode(twin.pack(fromClock(twin.unpack(twin.bytes(number - 1n)))))
}

describe.each(TWIN_FAMILIES)('bounds of $label', (twinFamily) => {
  const { family, twin, timeMs, fromClock, windowSeconds } = twinFamily
  const moments = quarters(twinFamily)

  test('lowerBound and upperBound are those of the twin, for numbers and Dates', () => {
    fc.assert(
      fc.property(moments, (quarter) => {
        expect(family.lowerBound(asMs(quarter))).toBe(plainLowerBound(twinFamily, quarter))
        expect(family.upperBound(asMs(quarter))).toBe(plainUpperBound(twinFamily, quarter))
        if (quarter % 4n !== 0n) return
        expect(family.lowerBound(new Date(asMs(quarter)))).toBe(plainLowerBound(twinFamily, quarter))
        expect(family.upperBound(new Date(asMs(quarter)))).toBe(plainUpperBound(twinFamily, quarter))
      }),
      RUNS,
    )
  })

  test('lowerBound is at or after the time, and the id before it is earlier', () => {
    fc.assert(
      fc.property(moments, (quarter) => {
        const bound = family.lowerBound(asMs(quarter))
        if (quarter > 4n * BigInt(family.firstMs))
          expect(family.timeMs(bound)).toBeGreaterThanOrEqual(asMs(quarter))
        const previous = before(twinFamily, bound)
        if (previous === undefined) expect(bound).toBe(family.min)
        else expect(family.timeMs(previous)).toBeLessThan(asMs(quarter))
      }),
      RUNS,
    )
  })

  test('ids not before a time are at or after its lowerBound, and earlier ids are before its upperBound', () => {
    const momentAndId = moments.chain((quarter) =>
      fc.tuple(fc.constant(quarter), idsAround(twinFamily, quarter)),
    )
    fc.assert(
      fc.property(momentAndId, ([quarter, raw]) => {
        const id = twin.encode(twin.pack(raw))
        expect(fromClock(raw)).toEqual(raw)
        const isEarlier = 4n * timeMs(raw) < quarter
        if (isEarlier) expect(family.compare(id, family.upperBound(asMs(quarter)))).toBeLessThan(0)
        else expect(family.compare(id, family.lowerBound(asMs(quarter)))).toBeGreaterThanOrEqual(0)
        if (isEarlier && windowSeconds === 0n) {
          expect(family.compare(id, family.lowerBound(asMs(quarter)))).toBeLessThan(0)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('range contains every id of its times, and no others except of the windows at its ends', () => {
    const around = moments.chain((from) =>
      fc.tuple(
        fc.constant(from),
        fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 10_000n), fc.bigInt(0n, 9_000_000n)),
        fc.oneof(
          idsAround(twinFamily, from),
          fc.bigInt(0n, 9_000_000n).chain((n) => idsAround(twinFamily, from + n)),
        ),
      ),
    )
    fc.assert(
      fc.property(around, ([from, length, raw]) => {
        const last = 4n * BigInt(family.lastMs)
        const to = exactQuarter(from + length > last ? last : from + length)
        const { gte, lt = expect.fail('no lt') } = family.range(asMs(from), asMs(to))
        expect([gte, lt]).toEqual([family.lowerBound(asMs(from)), family.upperBound(asMs(to))])
        const id = twin.encode(twin.pack(raw))
        const isInside = family.compare(gte, id) <= 0 && family.compare(id, lt) < 0
        const quarter = 4n * timeMs(raw)
        if (from <= quarter && quarter < to) expect(isInside).toBe(true)
        else if (windowSeconds === 0n) expect(isInside).toBe(false)
        if (isInside) {
          expect(quarter).toBeGreaterThan(from - 4000n * windowSeconds - 1n)
          expect(quarter).toBeLessThan(to + 4000n * windowSeconds)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('before the epoch a bound is the smallest id', () => {
    for (const time of [
      family.firstMs,
      family.firstMs - 0.5,
      family.firstMs - 1,
      -8.65e15,
      Number.NEGATIVE_INFINITY,
    ]) {
      expect(family.lowerBound(time)).toBe(family.min)
      expect(family.upperBound(time)).toBe(family.min)
    }
  })

  test('after the last time there is no bound, and a range has no end', () => {
    expect(family.timeMs(family.lowerBound(family.lastMs))).toBe(family.lastMs)
    const fraction = Math.abs(family.lastMs) < 2 ** 51 ? 0.5 : 1
    for (const time of [family.lastMs + fraction, family.lastMs + 1, 8.7e15, Number.POSITIVE_INFINITY]) {
      expectRefusal(() => family.lowerBound(time), 'TIME_OUT_OF_RANGE')
      expectRefusal(() => family.upperBound(time), 'TIME_OUT_OF_RANGE')
      expect(family.range(family.firstMs, time)).toEqual({ gte: family.min })
      expect(family.range(family.lastMs, time)).toEqual({ gte: family.lowerBound(family.lastMs) })
      expect(family.range(time, time)).toEqual({ gte: family.min, lt: family.min })
    }
  })

  test('exactRange is true if the family has no windows', () => {
    expect(family.exactRange).toBe(windowSeconds === 0n)
  })
})
