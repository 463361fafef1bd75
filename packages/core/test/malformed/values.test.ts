import { flake, flax, type IdFamily, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'

const FAMILIES: readonly IdFamily[] = [flax, sno, flake, uid, uidLocal]

/** Values of every JavaScript type but string. */
const NO_STRINGS: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  10n,
  Symbol('id'),
  () => '0',
  {},
  [],
  ['0'],
  new Date(),
  new Uint8Array(8),
  new Uint8Array(12),
  Object('0'),
  { toString: () => '0' },
]

const NO_BYTES: readonly unknown[] = [
  undefined,
  null,
  '0',
  7,
  7n,
  [1, 2, 3],
  {},
  new ArrayBuffer(12),
  new Uint16Array(6),
  new DataView(new ArrayBuffer(8)),
]

const NO_TIMES: readonly unknown[] = [
  undefined,
  null,
  '2026-11-01',
  '0',
  true,
  10n,
  {},
  [0],
  { valueOf: () => 0 },
]

describe.each(FAMILIES)('$name and values of the wrong type', (family) => {
  test.each(NO_STRINGS.map((value) => [value]))('%o is not an id', (value) => {
    const id = value as string
    for (const call of [family.parse, family.decode, family.unpack, family.time, family.timeMs]) {
      expect(expectRefusal(() => call(id), 'INVALID_TYPE').message).toMatch(new RegExp(`^${family.name}: `))
    }
    expect(family.is(value)).toBe(false)
    expect(family['~standard'].validate(value)).toEqual({
      issues: [{ message: expect.stringMatching(new RegExp(`^${family.name}: `)), code: 'INVALID_TYPE' }],
    })
  })

  test.each(NO_BYTES.map((value) => [value]))('%o are not bytes', (value) => {
    expectRefusal(() => family.encode(value as Uint8Array), 'INVALID_TYPE')
  })

  test('bytes of any other length are refused', () => {
    for (let length = 0; length <= 40; length++) {
      if (length === family.byteLength) continue
      const error = expectRefusal(() => family.encode(new Uint8Array(length)), 'INVALID_LENGTH')
      expect(error.message).toContain(`${family.name}: `)
      expect(error.message).toContain(String(length))
      expect(error.value).toEqual(new Uint8Array(length))
    }
  })

  test('a view into a larger buffer is read alone, and decoded bytes are not shared', () => {
    const buffer = new Uint8Array(40).fill(0xff)
    const view = buffer.subarray(5, 5 + family.byteLength).fill(0)
    expect(family.encode(view)).toBe(family.min)
    const bytes = family.decode(family.min)
    bytes.fill(0xff)
    expect(family.decode(family.min)).toEqual(new Uint8Array(family.byteLength))
    expect(family.encode(Buffer.alloc(family.byteLength))).toBe(family.min)
  })
})

describe.each(FAMILIES)('$name and times', (family) => {
  const inside = (family.firstMs + family.lastMs) / 2

  test.each(NO_TIMES.map((value) => [value]))('%o is not a time', (value) => {
    const time = value as number
    expectRefusal(() => family.lowerBound(time), 'INVALID_TYPE')
    expectRefusal(() => family.upperBound(time), 'INVALID_TYPE')
    expectRefusal(() => family.range(time, inside), 'INVALID_TYPE')
    expectRefusal(() => family.range(inside, time), 'INVALID_TYPE')
  })

  test.each([Number.NaN, new Date(Number.NaN), new Date('no date')])('%o is INVALID_TIME', (time) => {
    for (const call of [
      () => family.lowerBound(time),
      () => family.upperBound(time),
      () => family.range(time, inside),
      () => family.range(inside, time),
    ]) {
      const error = expectRefusal(call, 'INVALID_TIME')
      expect(error.family).toBe(family.name)
      expect(error.value).toBe(time)
      expect(error.message).toMatch(/NaN|an invalid Date/)
    }
  })

  test('a range whose end is before its start is refused, and the error names the field', () => {
    const error = expectRefusal(() => family.range(inside, inside - 1), 'INVALID_OPTION')
    expect(error.field).toBe('from')
    expect(family.range(inside, inside).gte).toBe(family.lowerBound(inside))
    expectRefusal(() => family.range(Number.POSITIVE_INFINITY, inside), 'INVALID_OPTION')
    expect(family.range(inside, Number.POSITIVE_INFINITY)).toEqual({ gte: family.lowerBound(inside) })
    expect(family.range(Number.NEGATIVE_INFINITY, inside).gte).toBe(family.min)
  })

  test('TIME_OUT_OF_RANGE states the first and last time, also for times that Date cannot represent', () => {
    for (const time of [family.lastMs + 1000, 1e17, Number.POSITIVE_INFINITY]) {
      const error = expectRefusal(() => family.lowerBound(time), 'TIME_OUT_OF_RANGE')
      expect(error.message).toContain(new Date(family.firstMs).toISOString())
      expect(error.message).toContain(new Date(family.lastMs).toISOString())
      expect(error.value).toBe(time)
    }
  })
})

/** Fields that are packed, and the largest number that each holds. */
const FIELDS: readonly {
  family: IdFamily
  fields: Readonly<Record<string, unknown>>
  maxima: Readonly<Record<string, number>>
}[] = [
  { family: flax, fields: { timeMs: flax.firstMs, random: new Uint8Array(7) }, maxima: {} },
  {
    family: sno,
    fields: { timeMs: sno.firstMs, tickTock: 0, meta: 0, partition: 0, sequence: 0 },
    maxima: { tickTock: 1, meta: 255, partition: 65535, sequence: 65535 },
  },
  {
    family: flake,
    fields: { timeMs: 0, datacenter: 0, worker: 0, counter: 0 },
    maxima: { datacenter: 31, worker: 31, counter: 4095 },
  },
  {
    family: uid,
    fields: { megaSeconds: 0, seconds: 0, microSeconds: 0, node: 0, sequence: 0 },
    maxima: {
      megaSeconds: 1048575,
      seconds: 1048575,
      microSeconds: 1047552,
      node: 4294967295,
      sequence: 16383,
    },
  },
  {
    family: uidLocal,
    fields: { megaSeconds: 0, seconds: 0, microSeconds: 0, sequence: 0 },
    maxima: { megaSeconds: 1048575, seconds: 1048575, microSeconds: 1047552, sequence: 16383 },
  },
]

describe.each(FIELDS)('$family.name and fields', ({ family, fields, maxima }) => {
  const names = Object.keys(maxima)
  const numbers = Object.keys(fields).filter((name) => name !== 'random')

  test.each(names)('%s accepts its maximum and nothing above, nothing below 0 and no fraction', (name) => {
    const max = maxima[name] as number
    const packWith = (value: unknown) => () => family.pack({ ...fields, [name]: value })
    expect(family.unpack(packWith(max)())).toEqual({ ...fields, [name]: max })
    const bad = [
      -1,
      -0.5,
      0.5,
      max + 1,
      max + 0.5,
      2 * max + 2,
      2 ** 32,
      2 ** 53,
      -(2 ** 31),
      1e300,
      Number.NaN,
    ]
    for (const value of [
      ...bad.filter((value) => value > max || value < 0 || !Number.isInteger(value)),
      ...INFINITIES,
    ]) {
      const error = expectRefusal(packWith(value), 'FIELD_OUT_OF_RANGE')
      expect([error.family, error.field, error.value]).toEqual([family.name, name, value])
      expect(error.message).toContain(name)
      expect(error.message).toContain(String(value))
    }
  })

  test.each(numbers)('%s must be a number', (name) => {
    for (const value of [undefined, null, '1', 1n, true, [1], {}, new Date(0)]) {
      const error = expectRefusal(() => family.pack({ ...fields, [name]: value }), 'INVALID_TYPE')
      expect(error.message).toContain(name)
    }
  })

  test.each(names)('%s out of bounds is never wrapped into an id', (name) => {
    const max = maxima[name] as number
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.double({ min: -2, max: 70_000 })), (value) => {
        const isStep = name !== 'microSeconds' || value % 1024 === 0
        fc.pre(!(Number.isInteger(value) && value >= 0 && value <= max && isStep))
        expectRefusal(() => family.pack({ ...fields, [name]: value }), 'FIELD_OUT_OF_RANGE')
      }),
      { numRuns: 1000 },
    )
  })

  test('are refused as a whole if they are not an object, or empty', () => {
    for (const value of [undefined, null, {}, 7, 'x']) expectRefusal(() => family.pack(value), 'INVALID_TYPE')
  })
})

const INFINITIES = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]

describe.each([
  { family: flax, fields: { random: new Uint8Array(7) }, unitMs: 1 },
  { family: sno, fields: { tickTock: 0, meta: 0, partition: 0, sequence: 0 }, unitMs: 4 },
  { family: flake, fields: { datacenter: 0, worker: 0, counter: 0 }, unitMs: 1 },
])('$family.name and timeMs', ({ family, fields, unitMs }) => {
  const packAt = (timeMs: unknown) => () => (family as IdFamily).pack({ timeMs, ...fields })

  test('accepts the first and the last time, and refuses the next', () => {
    expect(family.timeMs(packAt(family.firstMs)() as never)).toBe(family.firstMs)
    expect(family.timeMs(packAt(family.lastMs)() as never)).toBe(family.lastMs)
    for (const timeMs of [
      family.firstMs - 1,
      family.firstMs - unitMs,
      family.lastMs + unitMs,
      1e15,
      -1e15,
      ...INFINITIES,
    ]) {
      expectRefusal(packAt(timeMs), 'TIME_OUT_OF_RANGE')
    }
  })

  test('is neither rounded nor truncated', () => {
    expectRefusal(packAt(family.firstMs + 0.5), 'FIELD_OUT_OF_RANGE')
    expectRefusal(packAt(family.lastMs - 0.25), 'FIELD_OUT_OF_RANGE')
    expectRefusal(packAt(Number.NaN), 'INVALID_TIME')
    for (let off = 1; off < unitMs; off++) {
      const error = expectRefusal(packAt(family.firstMs + off), 'FIELD_OUT_OF_RANGE')
      expect(error.field).toBe('timeMs')
    }
  })
})

describe('microSeconds of uid and uidLocal', () => {
  test.each([uid, uidLocal] as IdFamily[])('$name: only multiples of 1024 are accepted', (family) => {
    const fields = { megaSeconds: 1, seconds: 2, node: 3, sequence: 4 }
    for (const microSeconds of [1, 1023, 1025, 999_999, 1_047_551]) {
      const error = expectRefusal(() => family.pack({ ...fields, microSeconds }), 'FIELD_OUT_OF_RANGE')
      expect([error.field, error.value]).toEqual(['microSeconds', microSeconds])
    }
  })
})

describe('flax and random', () => {
  test('random must have 7 bytes, and no other type', () => {
    const packWith = (random: unknown) => () =>
      flax.pack({ timeMs: flax.firstMs, random: random as Uint8Array })
    for (const length of [0, 6, 8, 12]) {
      expect(expectRefusal(packWith(new Uint8Array(length)), 'INVALID_LENGTH').field).toBe('random')
    }
    for (const random of [undefined, null, '0123456', 7, [0, 0, 0, 0, 0, 0, 0]])
      expectRefusal(packWith(random), 'INVALID_TYPE')
  })
})
