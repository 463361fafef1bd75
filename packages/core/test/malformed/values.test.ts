import {
  accepting,
  betterAuthIds,
  columnFor,
  fixedId,
  flake,
  flax,
  type IdFamily,
  isSameFamily,
  prefixed,
  registry,
  sno,
  storageFor,
  typeid,
} from '@snoflax/core'
import { storedReader } from '@snoflax/core/adapter'
import { uid, uidLocal } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'

// Numbers out of range are in spec/cases, texts in texts.test.ts.

const FAMILIES: readonly IdFamily[] = [flax, sno, flake, uid, uidLocal]

/** Values of every JavaScript type but string, and such as JSON from outside can contain. */
const NO_STRINGS: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  Number.NaN,
  10n,
  Symbol('id'),
  () => 'Kpcan0M1FakODT4k',
  {},
  ['0'],
  new Date(),
  new Uint8Array(12),
  new String('Kpcan0M1FakODT4k'),
  { toString: () => '0' },
  Object.create(null),
  JSON.parse('{"toString":1,"valueOf":2}'),
  JSON.parse('{"__proto__":{"toString":1}}'),
  [JSON.parse('{"toString":1}')],
  {
    toString() {
      throw new Error('no text')
    },
  },
]

const NO_BYTES: readonly unknown[] = [
  undefined,
  null,
  '0',
  7,
  7n,
  [1, 2, 3],
  { length: 12 },
  new ArrayBuffer(12),
  new Uint16Array(6),
  new DataView(new ArrayBuffer(8)),
]

const NO_TIMES: readonly unknown[] = [
  undefined,
  null,
  '2026-11-01',
  true,
  10n,
  {},
  [0],
  { valueOf: () => 0 },
  { epochMilliseconds: '5' },
  new Uint16Array(8),
]

describe.each([...FAMILIES, prefixed(flax, 'cus') as IdFamily])('$name', (family) => {
  const message = expect.stringMatching(new RegExp(`^${family.name}: an id must be a string, not `))

  test.each(NO_STRINGS.map((value) => [value]))('is not %o', (value) => {
    for (const call of [family.parse, family.decode, family.unpack, family.time, family.timeMs]) {
      expectRefusal(() => call(value as string), 'INVALID_TYPE', { message })
    }
    expect(family.is(value)).toBe(false)
    expect(family['~standard'].validate(value)).toEqual({ issues: [{ message, code: 'INVALID_TYPE' }] })
    const stored = storedReader(storageFor(family, 'sqlite', { storage: 'binary' }))
    if (value != null && !(value instanceof Uint8Array)) {
      expect(() => stored(value)).toThrow(expect.objectContaining({ name: 'IdError' }))
    }
  })

  test('has bytes of one type and length', () => {
    for (const value of NO_BYTES) expectRefusal(() => family.encode(value as Uint8Array), 'INVALID_TYPE')
    for (const length of [0, family.byteLength - 1, family.byteLength + 1, 40]) {
      const error = expectRefusal(() => family.encode(new Uint8Array(length)), 'INVALID_LENGTH')
      expect(error.message).toContain(`has ${family.byteLength} bytes, not ${length}`)
      expect(error.value).toEqual(new Uint8Array(length))
    }
  })

  test('reads a view into a larger buffer alone, and does not share decoded bytes', () => {
    const buffer = new Uint8Array(40).fill(0xff)
    const view = buffer.subarray(5, 5 + family.byteLength).fill(0)
    expect(family.encode(view)).toBe(family.min)
    const bytes = family.decode(family.min)
    bytes.fill(0xff)
    expect(family.decode(family.min)).toEqual(new Uint8Array(family.byteLength))
    expect(family.encode(Buffer.alloc(family.byteLength))).toBe(family.min)
  })

  const inside = (family.firstMs + family.lastMs) / 2
  const bounds = (time: never): (() => unknown)[] => [
    () => family.lowerBound(time),
    () => family.upperBound(time),
    () => family.range(time, inside),
    () => family.range(inside, time),
  ]

  test('has times that are numbers, Dates or Instants', () => {
    for (const time of NO_TIMES) {
      for (const call of bounds(time as never)) expectRefusal(call, 'INVALID_TYPE')
    }
    for (const time of [Number.NaN, new Date(Number.NaN)]) {
      for (const call of bounds(time as never)) {
        const error = expectRefusal(call, 'INVALID_TIME', { family: family.name, value: time })
        expect(error.message).toMatch(/NaN|an invalid Date/)
      }
    }
  })

  test('has ranges that do not end before their start', () => {
    expectRefusal(() => family.range(inside, inside - 1), 'INVALID_OPTION', { field: 'from' })
    expectRefusal(() => family.range(Number.POSITIVE_INFINITY, inside), 'INVALID_OPTION')
    expect(family.range(inside, inside).gte).toBe(family.lowerBound(inside))
    expect(family.range(inside, Number.POSITIVE_INFINITY)).toEqual({ gte: family.lowerBound(inside) })
    expect(family.range(Number.NEGATIVE_INFINITY, inside).gte).toBe(family.min)
  })

  test('states the first and last time in TIME_OUT_OF_RANGE, also for times that Date cannot represent', () => {
    for (const value of [family.lastMs + 1000, 1e17, Number.POSITIVE_INFINITY]) {
      const { message } = expectRefusal(() => family.lowerBound(value), 'TIME_OUT_OF_RANGE', { value })
      expect(message).toContain(new Date(family.firstMs).toISOString())
      expect(message).toContain(new Date(family.lastMs).toISOString())
    }
  })
})

/** Fields that are packed, and the largest number that each holds. */
const FIELDS: readonly (readonly [IdFamily, Readonly<Record<string, number>>])[] = [
  [sno, { tickTock: 1, meta: 255, partition: 65_535, sequence: 65_535 }],
  [flake, { datacenter: 31, worker: 31, counter: 4095 }],
  [
    uid,
    {
      megaSeconds: 2 ** 20 - 1,
      seconds: 2 ** 20 - 1,
      microSeconds: 1_047_552,
      node: 2 ** 32 - 1,
      sequence: 16_383,
    },
  ],
]

describe.each(FIELDS)('fields of $name', (family, maxima) => {
  const zeros = Object.fromEntries(Object.keys(maxima).map((name) => [name, 0]))
  const fields = { ...zeros, ...(family !== uid && { timeMs: family.firstMs }) }
  const packWith = (name: string, value: unknown) => () => family.pack({ ...fields, [name]: value })

  test.each(Object.entries(maxima))('%s up to %d is never wrapped into an id', (name, max) => {
    expect(family.unpack(packWith(name, max)())).toEqual({ ...fields, [name]: max })
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.double({ min: -2, max: 70_000 })), (value) => {
        const isStep = name !== 'microSeconds' || value % 1024 === 0
        fc.pre(!(Number.isInteger(value) && value >= 0 && value <= max && isStep))
        const facts = { family: family.name, field: name, value }
        const { message } = expectRefusal(packWith(name, value), 'FIELD_OUT_OF_RANGE', facts)
        expect(message).toContain(`${name} `)
        expect(message).toContain(String(value))
      }),
      { numRuns: 500, examples: [[max + 1], [max + 0.5], [-1], [2 ** 32], [Number.POSITIVE_INFINITY]] },
    )
  })

  test('must be numbers, in an object', () => {
    for (const name of Object.keys(fields)) {
      for (const value of [undefined, null, '1', 1n, true, [1], {}, new Date(0)]) {
        expect(expectRefusal(packWith(name, value), 'INVALID_TYPE').message).toContain(name)
      }
    }
    for (const value of [undefined, null, {}, 7, 'x']) expectRefusal(() => family.pack(value), 'INVALID_TYPE')
  })
})

test('random of flax must be bytes', () => {
  for (const random of [undefined, null, '0123456', 7, [0, 0, 0, 0, 0, 0, 0]]) {
    expectRefusal(() => flax.pack({ timeMs: flax.firstMs, random: random as never }), 'INVALID_TYPE')
  }
})

const customerId = prefixed(flax, 'cus')
const column = columnFor(flax, 'postgres')
const [NOW, LATER] = [new Date('2026-11-01'), new Date('2026-12-01')]

/** Arguments that are swapped, left out or of a wrong type, as a call without types can have them. */
const CALLS: readonly (readonly [
  call: (...wrong: never[]) => unknown,
  wrong: readonly unknown[],
  message: RegExp,
])[] = [
  [flax.range, ['2026-11-01', '2026-12-01'], /a time must be a Date.*not "2026-11-01"/],
  [flax.range, [LATER, NOW], /from the earlier time to the later one/],
  [flax.range, [flax.min, flax.max], /a time must be a Date/],
  [flax.lowerBound, [], /a time must be a Date.*not undefined/],
  [flax.upperBound, [flax.min], /a time must be a Date/],
  [flax.generateAt, ['2026-11-01'], /a time must be a Date/],
  [flax.time, [NOW], /an id must be a string, not 2026-11-01T/],
  [flax.pack, [NOW.getTime(), new Uint8Array(7)], /fields must be an object, not 179/],
  [flax.encode, [flax.min], /must be a Uint8Array of 12 bytes/],
  [flax.decode, [new Uint8Array(12)], /an id must be a string/],
  [flax.generator().batch, ['3'], /count must be a number, not "3"/],
  [fixedId, ['user-1', flax], /fixedId: family must be a family such as flax, not "user-1"/],
  [fixedId, [flax, 1], /label must be a string, not 1/],
  [fixedId, [flax, 'user-1', NOW], /options must be an object, not 2026-11-01T/],
  [fixedId, [flax, 'user-1', { at: '2026-11-01' }], /a time must be a Date/],
  [prefixed, ['cus', flax], /a prefix must have 1 to 63/],
  [typeid, [{}, 'user'], /options must be an object, not "user"/],
  [accepting, [/x/, flax], /accepting: family must be a family such as flax/],
  [storageFor, ['postgres', flax], /family must be a family such as flax, not "postgres"/],
  [storageFor, [flax, { storage: 'text' }], /database must be one of postgres/],
  [columnFor, ['postgres', flax], /family must be a family such as flax, not "postgres"/],
  [columnFor, [flax, 'postgres', 'text'], /options must be an object, not "text"/],
  [column.check, [], /check needs the column's name in SQL, not undefined/],
  [column.keyset, [], /take must be a positive integer, not undefined/],
  [column.keyset, [{ after: null }], /take must be a positive integer, not undefined/],
  [column.range, ['2026-11-01', NOW], /a time must be a Date/],
  [registry, [], /families must be an object or an array, not undefined/],
  [registry, [flax], /registry: name must be a family such as flax, not "flax"/],
  [betterAuthIds, [], /models must be an object such as \{ user: flax \}, not undefined/],
  [isSameFamily, [flax, undefined], /isSameFamily: each must be a family such as flax, not undefined/],
  [isSameFamily, ['flax', flax], /not "flax"/],
  [customerId.withPrefix, [1], /an id must be a string, not 1/],
  [customerId.withoutPrefix, [], /an id must be a string, not undefined/],
  [customerId.fromGenerator, [flax.generate], /takes a generator of flax, not a function/],
  [sno.generateAt, [1, NOW], /meta must be a number, not 2026/],
  [sno.withMeta, [1, sno.min], /an id must be a string, not 1/],
  [flake.withEpoch, [NOW], /epochMs must be a number, not 2026/],
  [uid.fromLocal, [{ node: 1 }, uidLocal.min], /an id must be a string, not an object/],
]

test.each(CALLS)('%o refuses %o', (call, wrong, message) => {
  expect(() => call(...(wrong as never[]))).toThrow(
    expect.objectContaining({ name: 'IdError', message: expect.stringMatching(message) }),
  )
})

test('a UUIDv7 is told as one by a text column with a prefix', () => {
  const { toDatabase, fromDatabase } = storageFor(customerId, 'postgres')
  const message = /^cus: "019a3f1c-.*" is a UUIDv7, not an id of cus; expected one such as "cus_Kj5SD-{11}"$/
  for (const call of [toDatabase, fromDatabase]) {
    expectRefusal(() => call('019a3f1c-7c1a-7000-8000-000000000000'), 'NOT_CANONICAL', {
      message: expect.stringMatching(message),
    })
  }
})
