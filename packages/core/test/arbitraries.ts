import fc from 'fast-check'
import type { RawFields, Twin } from './twin.js'
import type { TwinFamily } from './twin-families.js'

/** Numbers of a width, the ends of the range and single bits more often than by chance. */
export function numberOfBits(width: number): fc.Arbitrary<bigint> {
  const top = 2n ** BigInt(width) - 1n
  const bit = fc.bigInt(0n, BigInt(width) - 1n).map((place) => 2n ** place)
  return fc.oneof(
    { weight: 6, arbitrary: fc.bigInt(0n, top) },
    { weight: 1, arbitrary: fc.constantFrom(0n, 1n, top - 1n, top).filter((value) => value >= 0n) },
    { weight: 1, arbitrary: bit },
    { weight: 1, arbitrary: bit.map((value) => top - value) },
  )
}

/** Any fields that the bits can hold. */
export const rawFields = ({ table }: Twin): fc.Arbitrary<RawFields> =>
  fc.record(Object.fromEntries(table.map(([name, width]) => [name, numberOfBits(width)])))

/** Any id's bytes. */
export const idBytes = (twin: Twin): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    rawFields(twin).map((raw) => twin.pack(raw)),
    numberOfBits(twin.bitCount).map((number) => twin.bytes(number)),
  )

/** Moments in quarters of a millisecond, within the span: anywhere, at its ends, and around whole seconds. */
export function quarters({ family }: TwinFamily): fc.Arbitrary<bigint> {
  const first = 4n * BigInt(family.firstMs)
  const last = 4n * BigInt(family.lastMs)
  const within = (quarter: bigint): bigint =>
    exactQuarter(quarter < first ? first : quarter > last ? last : quarter)
  const anywhere = fc.bigInt(first, last).map(exactQuarter)
  const near = fc.bigInt(-8000n, 8000n)
  return fc.oneof(
    { weight: 4, arbitrary: anywhere },
    { weight: 1, arbitrary: near.map((offset) => within(first + offset)) },
    { weight: 1, arbitrary: near.map((offset) => within(last + offset)) },
    {
      weight: 2,
      arbitrary: fc.tuple(anywhere, near).map(([at, offset]) => within(at - (at % 4_000_000_000n) + offset)),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(anywhere, fc.bigInt(-8n, 8n)).map(([at, n]) => within(at - (at % 128_000n) + n)),
    },
  )
}

/** A double near the ends of what a Date can tell has no room for a fraction. */
export function exactQuarter(quarter: bigint): bigint {
  const isExact = BigInt(4 * (Number(quarter) / 4)) === quarter
  return isExact ? quarter : quarter - (quarter % 4n)
}
