import { flake, flax, type IdFamily, sno, storageFor, uid, uidLocal } from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bare, misfits, recognise } from '#inspector/recognise'
import { anyId, FAMILIES, hexOf } from './ids.js'

const NOW_MS = Date.UTC(2026, 10, 21)

const named = (pasted: string) =>
  recognise(pasted, NOW_MS).map(({ family, form }) => `${family.name} ${form}`)

/** The id in every way that a storage or a tool writes it. */
function writings(family: IdFamily, id: string): string[] {
  const hex = hexOf(family.decode(id))
  const stored = family.storages.flatMap((storage) => {
    // MySQL's bigint holds all of an id's 64 bits.
    const database = storage === 'bigint' ? 'mysql' : 'postgres'
    const value = storageFor(family, database, { storage }).toDatabase(id)
    return value instanceof Uint8Array ? [] : [String(value)]
  })
  const uuids = stored.filter((text) => text.length === 36)
  return [
    id,
    hex,
    hex.toUpperCase(),
    `\\x${hex}`,
    `0x${hex}`,
    ...stored,
    ...uuids.map((uuid) => uuid.replaceAll('-', '')),
    ...uuids.map((uuid) => uuid.toUpperCase()),
  ]
}

describe('recognise', () => {
  test('finds the family and the id in every form', () => {
    fc.assert(
      fc.property(anyId, ({ family, id }) => {
        for (const text of writings(family, id)) {
          const fits = recognise(text, NOW_MS)
          expect(fits.some((fit) => fit.family === family && fit.id === id)).toBe(true)
        }
      }),
    )
  })

  test('answers canonical ids only, and each of a family once', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{1,40}$/)), (text) => {
        const fits = recognise(text, NOW_MS)
        for (const { family, id } of fits) expect(family.parse(id)).toBe(id)
        const keys = fits.map(({ family, id }) => `${family.name} ${id}`)
        expect(new Set(keys).size).toBe(keys.length)
      }),
    )
  })

  test('puts the family that made an id of now before those that it only fits by its letters', () => {
    const clock = () => NOW_MS - 3_600_000
    const makers = [
      sno.generator({ partition: 1291, clock }),
      flax.generator({ clock }),
      uid.generator({ node: 'test', clock }),
      flake.generator({ datacenter: 1, worker: 2, clock }),
      uidLocal.generator({ clock }),
    ]
    for (const generator of makers) {
      const [first] = recognise(generator.generate(), NOW_MS)
      expect(first).toMatchObject({ form: 'text', likely: true })
      expect(first?.family.name).toBe(generator.family.name)
    }
  })

  test('believes a uuid8 by its tag alone', () => {
    for (const [i, family] of [flax, sno, flake, uid, uidLocal].entries()) {
      const uuid = storageFor(family as IdFamily, 'postgres', { storage: 'uuid8' }).toDatabase(family.min)
      expect(uuid).toMatch(new RegExp(`0${i + 1}$`))
      expect(named(String(uuid))).toEqual([`${family.name} uuid8`])
    }
  })

  test('shows all that a text can be, the likely times first', () => {
    expect(named('5828128208445124')).toEqual([
      'flax text',
      'flake hex',
      'uid text',
      'flake text',
      'uidLocal hex',
      'uidLocal decimal',
    ])
    const likely = recognise('5828128208445124', NOW_MS).map((fit) => fit.likely)
    expect(likely).toEqual([true, true, false, false, false, false])
  })

  test('takes the blanks and quotes of what was pasted away, and nothing else', () => {
    expect(['  x ', '"x"', "'x'\n", '`x`', '"x', '""x""'].map(bare)).toEqual([
      'x',
      'x',
      'x',
      'x',
      '"x',
      '"x"',
    ])
    expect(named("\t'brpk4q72xwf2m63l' ")).toEqual(named('brpk4q72xwf2m63l'))
  })

  test.each([
    ['nothing', ''],
    ['a word', 'hello'],
    ['a UUIDv4', '0d2fe7f4-97a5-4a46-ae5b-e6cc0c0c0739'],
    ['a number of 69 bits', '368934881474191032320'],
    ['half a byte of hex', '\\x05ca55528f7680cb8bb9bdc'],
    ['a negative number', '-1'],
    ['an id and more', 'brpk4q72xwf2m63l, brpk4q72xwf2m63m'],
    ['a hyphen in a wrong place', '4e6f216-0a0ff-89a0-8a10-330000000002'],
    ['a uuid8 with a foreign tag', '4e6f2160-a0ff-89a0-8a10-330000000009'],
    ['letters of other scripts', 'brpk4q72xwf2m63ł'],
  ])('finds no id in %s, and says why for each family', (_, text) => {
    expect(named(text)).toEqual([])
    expect(misfits(text).map(({ family }) => family)).toEqual(FAMILIES)
    for (const { family, reason } of misfits(text)) expect(reason).toContain(family.name)
  })

  test.each([
    ['0d2fe7f4-97a5-4a46-ae5b-e6cc0c0c0739', 'UUIDv8'],
    ['\\x0102', '2 ('],
    ['0x010', 'not in that form'],
    ['brpk4q72xwf2m63!', 'position 15'],
  ])('tells of %s what is wrong in the form that it looks like', (text, told) => {
    expect(misfits(text)[0]?.reason).toContain(told)
  })
})
