import { accepting, fixedId, flake, flax, type IdFamily, prefixed, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'
import { ticket } from './ticket.js'

const AT = Date.UTC(2020)
const late = flake.withEpoch(Date.UTC(2025))

/** Families, and the bits of an id beside its time. */
const FAMILIES: readonly (readonly [name: string, family: IdFamily, bits: number])[] = [
  ['flax', flax, 56],
  ['sno', sno, 41],
  ['flake', flake, 22],
  ['a flake of a late epoch', late, 22],
  ['uid', uid, 46],
  ['uidLocal', uidLocal, 14],
  ['a prefixed flax', prefixed(flax, 'cus'), 56],
  ['an own family', ticket, 32],
]

describe.each(FAMILIES)('fixedId of %s', (_, family, bits) => {
  test('is a valid id of its time, and the same each time', () => {
    const id = fixedId(family, 'user-1')
    expect(family.is(id)).toBe(true)
    expect(fixedId(family, 'user-1')).toBe(id)
    expect(family.timeMs(id)).toBe(family.timeMs(family.lowerBound(Math.max(AT, family.firstMs))))
    const at = new Date('2026-11-01T12:00:00Z')
    const later = fixedId(family, 'user-1', { at })
    expect(family.timeMs(later)).toBe(family.timeMs(family.lowerBound(at)))
    expect(fixedId(family, 'user-2')).not.toBe(id)
  })

  test('differs by label as far as its bits allow', () => {
    const count = Math.min(2_000, 2 ** Math.floor(bits / 2))
    const ids = new Set(Array.from({ length: count }, (_, i) => fixedId(family, `user-${i}`)))
    // Of n labels, n² / 2 pairs meet with 2^-bits each.
    expect(count - ids.size).toBeLessThanOrEqual(Math.ceil((4 * count ** 2) / 2 ** (bits + 1)))
  })
})

test('uses each bit beside the time', () => {
  const seen = Array.from({ length: 64 }, (_, i) => flax.decode(fixedId(flax, `label ${i}`)).slice(5))
  for (let byte = 0; byte < 7; byte++) {
    for (let bit = 0; bit < 8; bit++) {
      const ones = seen.filter((bytes) => ((bytes[byte] as number) >> bit) & 1).length
      expect(ones).toBeGreaterThan(12)
      expect(ones).toBeLessThan(52)
    }
  }
})

test('is the same on every machine', () => {
  expect({
    flax: fixedId(flax, 'user-1'),
    cus: fixedId(prefixed(flax, 'cus'), 'user-1'),
    sno: fixedId(sno, 'user-1'),
    uid: fixedId(uid, 'Übung 😀', { at: AT }),
  }).toMatchInlineSnapshot(`
    {
      "cus": "cus_8AiRD-1uVH3CzSFk",
      "flax": "8AiRD-22FPt7u4tV",
      "sno": "6kvrqg22frvraf6e",
      "uid": ".59Rl0IIVNb..0gc",
    }
  `)
})

test('is an own id of a family that accepts other keys', () => {
  expect(fixedId(accepting(flax, /[a-z]{24}/), 'user-1')).toBe(fixedId(flax, 'user-1'))
})

test('differs by family', () => {
  expect(fixedId(prefixed(flax, 'a'), 'x').slice(2)).not.toBe(fixedId(prefixed(flax, 'b'), 'x').slice(2))
})

test('refuses wrong arguments', () => {
  for (const label of [1, undefined, null, {}] as never[]) {
    expectRefusal(() => fixedId(flax, label), 'INVALID_TYPE', { field: 'label' })
  }
  expectRefusal(() => fixedId(flax, 'x', { at: new Date('2014-01-01') }), 'TIME_OUT_OF_RANGE', {})
  expectRefusal(() => fixedId(flax, 'x', { at: new Date(Number.NaN) }), 'INVALID_TIME', {})
  expectRefusal(() => fixedId(flax, 'x', { time: 1 } as never), 'INVALID_OPTION', {})
  expectRefusal(() => fixedId(undefined as never, 'x'), 'INVALID_OPTION', {})
})
