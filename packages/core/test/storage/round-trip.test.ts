import type { DatabaseValue } from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formsOf, uuid8Forms, uuidTextForms } from './driver-forms.js'
import { ALLOWED_COMBINATIONS, idFor, open } from './families.js'

const RUNS = { numRuns: 50 }
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

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

  test('an id is written as one value of the type that drivers bind, and read back, in every form', () => {
    fc.assert(
      fc.property(anId, (id) => {
        const value = storage.toDatabase(id)
        if (name === 'binary') expect(value).toHaveLength(family.byteLength)
        else if (name === 'bigint') expect(value).toBeTypeOf('bigint')
        else expect(value).toMatch(name === 'text' ? family.pattern : UUID)
        for (const form of [value, ...formsOf(family, id)]) {
          expect(storage.toDatabase(form)).toEqual(value)
          expect(storage.fromDatabase(form)).toBe(id)
        }
        const bytes = family.decode(id)
        // Such as caches return.
        const buffer = JSON.parse(JSON.stringify(Buffer.from(bytes)))
        for (const form of [[...bytes], { ...bytes }, Uint8Array.from(bytes).buffer, buffer]) {
          expect(storage.fromDatabase(form)).toBe(id)
        }
        const ofBytes = storage.toDatabase(bytes)
        expect(bytes).toEqual(family.decode(id))
        bytes.fill(0x55)
        expect(storage.fromDatabase(ofBytes)).toBe(id)
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

  test.each([null, undefined])('%s becomes null', (nothing) => {
    expect([storage.toDatabase(nothing), storage.fromDatabase(nothing)]).toEqual([null, null])
  })
})
