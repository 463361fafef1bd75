import {
  accepting,
  flax,
  type IdFamily,
  opaque,
  prefixed,
  recent,
  sno,
  storageFor,
  typeid,
  ulid,
  uuid7,
  uuid7or4,
} from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'

const NOW_MS = Date.UTC(2026, 10, 29)
const options = { maxAgeMs: 86_400_000, clockToleranceMs: 60_000, clock: () => NOW_MS }

describe.each([flax, sno, uuid7, ulid, typeid('user'), prefixed(flax, 'cus')])('$name', (family) => {
  const at = (timeMs: number): string => (family as typeof flax).range(timeMs, Date.UTC(2049, 0)).gte
  const fresh = recent(family as typeof flax, options)

  test.each([0, -86_400_000, 60_000, -5000])('takes an id of %d ms', (ms) => {
    const id = at(NOW_MS + ms)
    expect(fresh.parse(id)).toBe(id)
    expect(fresh.is(id)).toBe(true)
    expect(fresh['~standard'].validate(id)).toEqual({ value: id })
  })

  test.each([-86_400_004, 60_004, Date.UTC(2048, 0) - NOW_MS, Date.UTC(2015, 1) - NOW_MS])(
    'refuses an id of %d ms, which the family takes',
    (ms) => {
      const id = at(NOW_MS + ms)
      expect(family.is(id)).toBe(true)
      expect(fresh.is(id)).toBe(false)
      const error = expectRefusal(() => fresh.parse(id), 'IMPLAUSIBLE_TIME', { statusCode: 400 })
      expect(error.message).toMatch(ms > 0 ? /ahead of this clock$/ : /86400000 ms ago$/)
      expect(fresh['~standard'].validate(id).issues?.[0].code).toBe('IMPLAUSIBLE_TIME')
    },
  )

  test('refuses what the family refuses, with its error', () => {
    expectRefusal(() => fresh.parse(5), 'INVALID_TYPE')
    expect(() => fresh.parse('x y')).toThrow(/./)
  })
})

test('what has no time is refused, and so are columns, options and opaque ids', () => {
  const key = accepting(prefixed(flax, 'usr'), /user[0-9]{3}/)
  expectRefusal(() => recent(key, options).parse('user123'), 'IMPLAUSIBLE_TIME')
  expectRefusal(() => recent(uuid7or4, options).parse(crypto.randomUUID()), 'IMPLAUSIBLE_TIME')
  for (const family of [flax, prefixed(flax, 'cus')] as readonly IdFamily[]) {
    for (const storage of [{}, { storage: 'text' }, { storage: 'binary' }] as const)
      expectRefusal(() => storageFor(recent(family, options), 'postgres', storage), 'STORAGE_REFUSED')
  }
  for (const wrong of [{}, { maxAgeMs: -1 }, { maxAgeMs: Number.NaN }, { maxAgeMs: '1d' }, { maxAge: 1 }])
    expectRefusal(() => recent(flax, wrong as never), 'INVALID_OPTION')
  const org = opaque('org', { pattern: /org_[a-z]{9}/, generate: () => 'org_aaaaaaaaa' })
  expectRefusal(() => recent(org as never, options), 'INVALID_OPTION')
})

test('the default clock, and generate', () => {
  const customerId = prefixed(flax, 'cus')
  const fresh = recent(customerId, { maxAgeMs: 1000 })
  expect(fresh.is(fresh.generate())).toBe(true)
  expect(fresh.is(customerId.generateAt(Date.now() + 299_000))).toBe(true)
  expect(fresh.is(customerId.generateAt(Date.now() + 302_000))).toBe(false)
})
