import { flake, flax, prefixed, sno, storageFor } from '@snoflax/core'
import { storedReader } from '@snoflax/core/adapter'
import { uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'

/** Values that can't be converted to a string, as JSON from outside or code can contain them. */
const STRANGE: Record<string, unknown> = {
  'an object with toString: 1': JSON.parse('{"toString":1}'),
  'an object with toString and valueOf': JSON.parse('{"toString":1,"valueOf":2}'),
  'an object with __proto__': JSON.parse('{"__proto__":{"toString":1}}'),
  'an array of such objects': [JSON.parse('{"toString":1}')],
  'an object without a prototype': Object.create(null),
  'a symbol': Symbol('id'),
  'an object whose toString throws': {
    toString() {
      throw new Error('no text')
    },
  },
  'a boxed text': new String('Kpcan0M1FakODT4k'),
  'a function': () => 'Kpcan0M1FakODT4k',
}

describe.each(Object.entries(STRANGE))('%s', (_, value) => {
  test.each([flax, sno, flake, uid, uidLocal, prefixed(flax, 'cus')])('is no $name', (family) => {
    expect(family.is(value)).toBe(false)
    expectRefusal(() => family.parse(value), 'INVALID_TYPE')
    const { issues } = family['~standard'].validate(value)
    expect(issues?.[0]?.code).toBe('INVALID_TYPE')
    expect(issues?.[0]?.message).toMatch(/an id must be a string, not /)
    expectRefusal(() => family.lowerBound(value as Date), 'INVALID_TYPE')
  })

  test('is no stored value', () => {
    const storage = storageFor(flax, 'sqlite', { storage: 'text' })
    expect(() => storedReader(storage)(value)).toThrow(expect.objectContaining({ name: 'IdError' }))
  })
})
