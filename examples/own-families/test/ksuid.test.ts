import { type Database, type IdError, type StorageName, storageFor } from '@snoflax/core'
import { type Ksuid, ksuid } from 'example-own-families/ksuid'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

/** An IdError with these facts. */
const refusal = (facts: Partial<IdError>) => expect.objectContaining({ name: 'IdError', ...facts })

/** The example of the reference's page. */
const EXAMPLE = '0ujtsYcgvSTl8PAuAdqWYSMnLOv' as Ksuid
const EPOCH_MS = 1_400_000_000_000

const seconds = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const fields = fc.record({
  timeMs: seconds.map((second) => EPOCH_MS + 1000 * second),
  payload: fc.uint8Array({ minLength: 16, maxLength: 16 }),
})
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('codec', () => {
  test('returns the example of the reference', () => {
    const { timeMs, payload } = ksuid.unpack(EXAMPLE)
    expect((timeMs - EPOCH_MS) / 1000).toBe(107608047)
    expect(hexOf(payload)).toBe('b5a1cd34b5f99d1154fb6853345c9735')
    expect(ksuid.time(EXAMPLE)).toEqual(new Date('2017-10-10T04:00:47Z'))
    expect(ksuid.max).toBe('aWgEPTl1tmebfsQzFP4bxwgy80V')
  })

  test('encode and decode are inverse, and texts sort as their bytes', () => {
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        const [x, y] = [ksuid.pack(a), ksuid.pack(b)]
        expect(ksuid.unpack(x)).toEqual(a)
        expect(ksuid.encode(ksuid.decode(x))).toBe(x)
        expect(x).toMatch(ksuid.pattern)
        expect(Math.sign(ksuid.compare(x, y))).toBe(Buffer.compare(ksuid.decode(x), ksuid.decode(y)))
      }),
    )
  })

  test('refuses malformed texts and values', () => {
    expect(() => ksuid.parse('aWgEPTl1tmebfsQzFP4bxwgy80W')).toThrow(refusal({ code: 'NOT_CANONICAL' }))
    expect(() => ksuid.parse(EXAMPLE.replace('g', '-'))).toThrow(
      refusal({ code: 'INVALID_CHARACTER', position: 7 }),
    )
    for (const text of ['', EXAMPLE.slice(1), `${EXAMPLE}\n`]) {
      expect(() => ksuid.parse(text)).toThrow(refusal({ code: 'INVALID_LENGTH' }))
    }
    for (const value of [null, undefined, 7, 7n, {}, new Uint8Array(20)]) {
      expect(() => ksuid.parse(value)).toThrow(refusal({ code: 'INVALID_TYPE' }))
    }
    expect(() => ksuid.encode(new Uint8Array(19))).toThrow(refusal({ code: 'INVALID_LENGTH' }))
    expect(() => ksuid.pack({ timeMs: EPOCH_MS + 1, payload: new Uint8Array(16) })).toThrow(
      refusal({ code: 'FIELD_OUT_OF_RANGE' }),
    )
    expect(() => ksuid.pack({ timeMs: 0, payload: new Uint8Array(16) })).toThrow(
      refusal({ code: 'TIME_OUT_OF_RANGE' }),
    )
  })
})

test('ranges contain exactly the ids of their times', () => {
  const moment = fc.integer({ min: EPOCH_MS, max: ksuid.lastMs })
  fc.assert(
    fc.property(moment, moment, fields, (a, b, given) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      const { gte, lt } = ksuid.range(from, to)
      const id = ksuid.pack(given)
      expect(id >= gte && (lt === undefined || id < lt)).toBe(given.timeMs >= from && given.timeMs < to)
    }),
  )
})

const STORED: readonly [Database, StorageName, string][] = [
  ['postgres', 'text', 'text COLLATE "C"'],
  ['postgres', 'binary', 'bytea'],
  ['sqlite', 'text', 'TEXT'],
  ['mysql', 'binary', 'BINARY(20)'],
]
test.each(STORED)('in %s as %s: read back, in order', (database, name, sql) => {
  const storage = storageFor(ksuid, database, { storage: name })
  expect(storage.column.sql).toBe(sql)
  fc.assert(
    fc.property(fields, fields, (a, b) => {
      const [x, y] = [ksuid.pack(a), ksuid.pack(b)]
      const stored = [x, y].map((id) => storage.toDatabase(id))
      expect(storage.fromDatabase(stored[0])).toBe(x)
      const [first, second] = stored.map((value) => Buffer.from(value as string)) as [Buffer, Buffer]
      expect(Math.sign(ksuid.compare(x, y))).toBe(Buffer.compare(first, second))
    }),
  )
})

test('is refused in a storage that the family does not list', () => {
  expect(() => storageFor(ksuid, 'postgres', { storage: 'uuid' })).toThrow(
    refusal({ code: 'STORAGE_REFUSED' }),
  )
})

describe('generator', () => {
  test('each id is greater than the one before, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1 }), (ticks) => {
        const moments = ticks.values()
        const clock = () => EPOCH_MS + 500 * (moments.next().value as number)
        const made = ksuid.generator({ clock }).batch(ticks.length)
        expect([...made].sort()).toEqual(made)
        expect(new Set(made).size).toBe(made.length)
      }),
    )
  })

  test('fails if the payload would overflow, and continues in the next second', () => {
    let nowMs = EPOCH_MS
    const { generate } = ksuid.generator({ clock: () => nowMs, random: (bytes) => void bytes.fill(0xff) })
    const first = generate()
    expect(generate).toThrow(refusal({ code: 'SEQUENCE_EXHAUSTED' }))
    nowMs += 1000
    expect(generate() > first).toBe(true)
  })

  test.each([
    ['NaN', Number.NaN, 'INVALID_TIME'],
    ['a time before the epoch', EPOCH_MS - 1, 'TIME_OUT_OF_RANGE'],
  ] as const)('a clock that returns %s is refused, and generating continues afterwards', (_, wrong, code) => {
    let nowMs = EPOCH_MS + 5000
    const { generate } = ksuid.generator({ clock: () => nowMs })
    const first = generate()
    nowMs = wrong
    expect(generate).toThrow(refusal({ code }))
    nowMs = EPOCH_MS + 5000
    expect(ksuid.compare(first, generate())).toBeLessThan(0)
  })
})
