import {
  type Database,
  type IdFamily,
  type IdGenerator,
  type StorageName,
  storageFor,
  typeid,
  ulid,
  uuid7,
} from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'

interface Maker {
  generator(options?: { clock?: () => number; random?: (bytes: Uint8Array) => void }): IdGenerator<string>
  generate(): string
}

const FAMILIES = [uuid7, ulid, typeid('user').base] as unknown as readonly (IdFamily<string> & Maker)[]
const LAST_MS = 2 ** 48 - 1
const moment = fc.integer({ min: 0, max: LAST_MS })

/** An id of this time. */
const idAt = ({ generator }: Maker, timeMs: number) => generator({ clock: () => timeMs }).generate()

describe.each(FAMILIES.map((family) => [family.name, family] as const))('%s', (_, family) => {
  test('has 48 bits of time', () => {
    expect([family.firstMs, family.lastMs]).toEqual([0, LAST_MS])
    expect(family.timeMs(family.min)).toBe(0)
    expect(family.timeMs(family.max)).toBe(LAST_MS)
    expect(family.layout.fields.reduce((bits, field) => bits + field.bits, 0)).toBe(128)
  })

  test('ranges contain exactly the ids of their times', () => {
    fc.assert(
      fc.property(moment, moment, moment, (a, b, timeMs) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const { gte, lt } = family.range(from, to)
        const id = idAt(family, timeMs)
        expect(id >= gte && (lt === undefined || id < lt)).toBe(timeMs >= from && timeMs < to)
      }),
    )
  })

  test('a bound is rounded up to a millisecond, and the last time is stated in the error', () => {
    expect(family.lowerBound(1.5)).toBe(family.lowerBound(2))
    expect(family.lowerBound(Number.NEGATIVE_INFINITY)).toBe(family.min)
    expectRefusal(() => family.lowerBound(LAST_MS + 1), 'TIME_OUT_OF_RANGE')
    expectRefusal(() => family.range(2, 1), 'INVALID_OPTION')
  })

  test('text, bytes and values from outside are refused unless they are ids', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ minLength: 26, maxLength: 36 })), (text) => {
        expect(family.is(text)).toBe(family.pattern.test(text))
      }),
    )
    for (const length of [0, 15, 17]) {
      expectRefusal(() => family.encode(new Uint8Array(length)), 'INVALID_LENGTH')
    }
    for (const value of [null, undefined, 7, 7n, {}, Symbol('id'), new Uint8Array(16)]) {
      expectRefusal(() => family.parse(value), 'INVALID_TYPE')
      expect(family.is(value)).toBe(false)
    }
    expectRefusal(() => family.encode('' as never), 'INVALID_TYPE')
  })

  const STORED: readonly [Database, StorageName, string][] = [
    ['postgres', 'uuid', 'uuid'],
    ['postgres', 'text', 'text COLLATE "C"'],
    ['postgres', 'binary', 'bytea'],
    ['sqlite', 'text', 'TEXT'],
    ['sqlite', 'binary', 'BLOB'],
    ['mysql', 'text', `CHAR(${family.textLength}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`],
    ['mysql', 'binary', 'BINARY(16)'],
  ]

  describe.each(STORED)('in %s as %s', (database, name, sql) => {
    const storage = storageFor(family, database, { storage: name })

    test('is read back, in any form that a driver returns, and sorts in order', () => {
      expect(storage.column.sql).toBe(sql)
      fc.assert(
        fc.property(moment, moment, (a, b) => {
          const [x, y] = [idAt(family, a), idAt(family, b)]
          const bytes = family.decode(x)
          const stored = storage.toDatabase(x)
          const forms = [stored, x, bytes, `\\x${Buffer.from(bytes).toString('hex')}`]
          for (const form of forms) {
            expect(storage.fromDatabase(form)).toBe(x)
            expect(storage.toDatabase(form)).toEqual(stored)
          }
          const sorted = [stored, storage.toDatabase(y)].map((value) => Buffer.from(value as string))
          expect(Math.sign(family.compare(x, y))).toBe(Buffer.compare(...(sorted as [Buffer, Buffer])))
        }),
      )
    })

    test('refuses malformed values', () => {
      for (const value of ['', 'no such id!', new Uint8Array(12), '\\x00']) {
        expectRefusal(() => storage.toDatabase(value), 'INVALID_LENGTH')
        expectRefusal(() => storage.fromDatabase(value), 'INVALID_LENGTH')
      }
      expectRefusal(() => storage.toDatabase(7n), 'INVALID_TYPE')
    })
  })

  test('has its own text as default, and no other storage than listed', () => {
    expect(storageFor(family, 'postgres').name).toBe(family === FAMILIES[0] ? 'uuid' : 'text')
    for (const database of ['postgres', 'sqlite', 'mysql', 'mariadb'] as const)
      expect(storageFor(family, database).converts).toBe(false)
    expect(storageFor(family, 'sqlite').name).toBe('text')
    expectRefusal(() => storageFor(family, 'postgres', { storage: 'uuid8' }), 'STORAGE_REFUSED')
    expectRefusal(() => storageFor(family, 'postgres', { storage: 'bigint' }), 'STORAGE_REFUSED')
    expectRefusal(() => storageFor(family, 'mysql', { storage: 'uuid' }), 'STORAGE_REFUSED')
  })

  describe('generator', () => {
    test('each id is greater than the one before, whatever the clock does', () => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1 }), (ticks) => {
          const moments = ticks.values()
          const { batch } = family.generator({ clock: () => moments.next().value as number })
          const made = batch(ticks.length)
          made.slice(1).forEach((id, i) => {
            expect(family.compare(made[i] as string, id)).toBeLessThan(0)
          })
          expect(made.map(family.timeMs)).toEqual(ticks.map((_, i) => Math.max(...ticks.slice(0, i + 1))))
        }),
      )
    })

    test('the default generates ids of now, in order and without repeats', () => {
      const since = Date.now()
      const made = Array.from({ length: 20_000 }, () => family.generate())
      expect(family.timeMs(made[0] as string)).toBeGreaterThanOrEqual(since)
      expect([...made].sort()).toEqual(made)
      expect(new Set(made).size).toBe(made.length)
      expect(made.every(family.is)).toBe(true)
    })

    test('two generators share no state', () => {
      const [one, two] = [0, 1].map(() => family.generator({ clock: () => 7 }).batch(1000))
      expect(new Set([...(one as string[]), ...(two as string[])]).size).toBe(2000)
    })

    test('names its family, and refuses a wrong batch size', () => {
      const generator = family.generator()
      expect(generator.family).toBe(family)
      expect(generator.batch(0)).toEqual([])
      for (const count of [-1, 1.5, Number.NaN, 2 ** 32]) {
        expectRefusal(() => generator.batch(count), 'FIELD_OUT_OF_RANGE')
      }
    })

    test.each([
      ['NaN', Number.NaN, 'INVALID_TIME'],
      ['a time before 1970', -1, 'TIME_OUT_OF_RANGE'],
      ['a time after the last', LAST_MS + 1, 'TIME_OUT_OF_RANGE'],
    ] as const)(
      'a clock that returns %s is refused, and generating continues afterwards',
      (_, wrong, code) => {
        let nowMs = 1000
        const { generate } = family.generator({ clock: () => nowMs })
        const first = generate()
        nowMs = wrong
        expectRefusal(generate, code)
        nowMs = 1000
        const second = generate()
        expect(family.timeMs(second)).toBe(1000)
        expect(family.compare(first, second)).toBeLessThan(0)
      },
    )
  })
})
