import { flake, flax, prefixed, registry, sno } from '@snoflax/core'
import { uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'

const customerId = prefixed(flax, 'cus')
const orderId = prefixed(sno, 'ord')
const lineId = prefixed(sno, 'ord_line')
const ids = registry({ customer: customerId, order: orderId, line: lineId, legacy: flax })

describe('a registry', () => {
  test('finds the family of an id by its prefix', () => {
    const made = {
      customer: customerId.generate(),
      order: orderId.generate(),
      line: lineId.generate(),
      legacy: flax.generate(),
    }
    for (const [name, id] of Object.entries(made)) {
      expect(ids.find(id)).toEqual({ name, family: ids.families[name as 'order'], id })
      expect(ids.parse(id).name).toBe(name)
      expect(ids.is(id)).toBe(true)
    }
  })

  test.each([undefined, null, 5, {}, '', 'inv_brpk4q72xwf2m63l', 'brpk4q72xwf2m63'])(
    'finds nothing in %j',
    (value) => {
      expect(ids.find(value)).toBe(undefined)
      expect(ids.is(value)).toBe(false)
      const code = typeof value === 'string' ? 'WRONG_PREFIX' : 'INVALID_TYPE'
      expectRefusal(() => ids.parse(value), code, { value })
    },
  )

  test('throws the error of the family whose prefix matches, the longest prefix first', () => {
    expectRefusal(() => ids.parse('ord_BRPK4Q72XWF2M63L'), 'INVALID_CHARACTER', { family: 'ord' })
    expectRefusal(() => ids.parse('ord_line_brpk'), 'INVALID_LENGTH', { family: 'ord_line' })
  })

  test('finds the family with the longer prefix if two match', () => {
    const [tweet, user] = [prefixed(flake, 'tweet'), prefixed(uidLocal, 'user')]
    const [short, long] = [prefixed(flax, 'a'), prefixed(uidLocal, 'a_bcde')]
    const all = registry({ legacy: flax, short, tweet, user, long })
    for (const [id, name] of [
      ['tweet_1234567890', 'tweet'],
      [user.max, 'user'],
      [long.max, 'long'],
    ] as const) {
      expect(flax.is(id) || short.is(id)).toBe(true)
      expect(all.find(id)?.name).toBe(name)
    }
  })

  test('refuses an empty list', () => {
    expectRefusal(() => registry({}), 'INVALID_OPTION', { field: 'families' })
  })

  test('refuses families that it could not distinguish', () => {
    expectRefusal(() => registry({ a: flax, b: flake }), 'INVALID_OPTION', { field: 'b' })
    expectRefusal(() => registry({ a: customerId, b: prefixed(sno, 'cus') }), 'INVALID_OPTION', {
      field: 'b',
    })
  })
})
