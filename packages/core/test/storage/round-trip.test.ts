import type { DatabaseValue } from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formsOf, uuid8Forms, uuidTextForms } from './driver-forms.js'
import { ALLOWED_COMBINATIONS, idFor, open } from './families.js'

const RUNS = { numRuns: 100 }

/** The order in which the database sorts its values. */
function databaseOrder(a: DatabaseValue, b: DatabaseValue): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : Number(a > b)
  const [left, right] = [a, b].map((value) => Buffer.from(value as string, 'latin1')) as [Buffer, Buffer]
  return Buffer.compare(left, right)
}

describe.each(ALLOWED_COMBINATIONS)('$name in $storage on $database', (combination) => {
  const { family, storage: name } = combination
  const storage = open(combination)
  const anId = idFor(combination)

  test('a stored id is read back', () => {
    fc.assert(
      fc.property(anId, (id) => {
        expect(storage.fromDatabase(storage.toDatabase(id))).toBe(id)
      }),
      RUNS,
    )
  })

  test('toDatabase and fromDatabase are idempotent', () => {
    fc.assert(
      fc.property(anId, (id) => {
        const value = storage.toDatabase(id)
        expect(storage.toDatabase(value)).toEqual(value)
        expect(storage.fromDatabase(storage.fromDatabase(value))).toBe(id)
        expect(storage.fromDatabase(id)).toBe(id)
      }),
      RUNS,
    )
  })

  test('every form of an id is converted to the same value', () => {
    fc.assert(
      fc.property(anId, (id) => {
        const value = storage.toDatabase(id)
        for (const form of formsOf(family, id)) {
          expect(storage.toDatabase(form)).toEqual(value)
          expect(storage.fromDatabase(form)).toBe(id)
        }
      }),
      RUNS,
    )
  })

  test('bytes are read in every form that drivers and caches return', () => {
    fc.assert(
      fc.property(anId, (id) => {
        const bytes = family.decode(id)
        const buffer = JSON.parse(JSON.stringify(Buffer.from(bytes)))
        for (const form of [[...bytes], Uint8Array.from(bytes).buffer, buffer]) {
          expect(storage.fromDatabase(form)).toBe(id)
        }
      }),
      RUNS,
    )
  })

  test('both forms of a uuid can be written, and only that of the column is read', () => {
    fc.assert(
      fc.property(anId, (id) => {
        const value = storage.toDatabase(id)
        for (const [form, uuids] of [
          ['uuid', uuidTextForms(family, id)],
          ['uuid8', uuid8Forms(family, id)],
        ] as const) {
          const isOther = (name === 'uuid' || name === 'uuid8') && name !== form
          for (const uuid of uuids) {
            expect(storage.toDatabase(uuid)).toEqual(value)
            if (isOther)
              expect(() => storage.fromDatabase(uuid)).toThrow(expect.objectContaining({ name: 'IdError' }))
            else expect(storage.fromDatabase(uuid)).toBe(id)
          }
        }
      }),
      RUNS,
    )
  })

  test("the database's order is that of the ids", () => {
    fc.assert(
      fc.property(anId, anId, (a, b) => {
        const [left, right] = [storage.toDatabase(a), storage.toDatabase(b)]
        expect(Math.sign(databaseOrder(left, right))).toBe(Math.sign(family.compare(a as never, b as never)))
      }),
      RUNS,
    )
  })

  test('the stored value has the type that drivers bind', () => {
    fc.assert(
      fc.property(anId, (id) => {
        const value = storage.toDatabase(id)
        if (name === 'binary') {
          expect(value).toBeInstanceOf(Uint8Array)
          expect((value as Uint8Array).length).toBe(family.byteLength)
        } else {
          expect(typeof value).toBe(name === 'bigint' ? 'bigint' : 'string')
        }
        if (name === 'uuid' || name === 'uuid8')
          expect(value).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      }),
      RUNS,
    )
  })

  test('null and undefined become null', () => {
    expect(storage.toDatabase(null)).toBe(null)
    expect(storage.toDatabase(undefined)).toBe(null)
    expect(storage.fromDatabase(null)).toBe(null)
    expect(storage.fromDatabase(undefined)).toBe(null)
  })

  test('a value passed is neither changed nor kept', () => {
    fc.assert(
      fc.property(anId, (id) => {
        const bytes = family.decode(id)
        const before = bytes.slice()
        const value = storage.toDatabase(bytes)
        expect(bytes).toEqual(before)
        bytes.fill(0x55)
        expect(storage.fromDatabase(value)).toBe(id)
      }),
      RUNS,
    )
  })
})
