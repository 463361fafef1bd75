import { flake, flax, type IdFamily, isSameFamily, prefixed, sno, storageFor } from '@snoflax/core'
import { type IdReading, readings, refusals } from '@snoflax/core/inspect'
import { uid, uidLocal } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf, hexOf } from '../bytes.js'
import { expectRefusal } from '../refusal.js'
import { type TicketId, ticket } from '../ticket.js'
import { anyId, anyText, FAMILIES, OURS, whole } from './families.js'

const NOW_MS = Date.UTC(2026, 10, 21)
const SNO = 'brpk4q72xwf2m63l'

const read = (text: string, families: readonly IdFamily[] = OURS): IdReading[] =>
  readings(text, families, { nowMs: NOW_MS })

const named = (text: string, families?: readonly IdFamily[]): string[] =>
  read(text, families).map(({ family, form }) => `${family.name} ${form}`)

/** Bytes and uuids in every way that a database or a tool writes them. */
const hexes = (hex: string): string[] => [
  hex,
  hex.toUpperCase(),
  `\\x${hex}`,
  `0x${hex}`,
  `0X${hex.toUpperCase()}`,
  `X'${hex}'`,
  `x'${hex.toUpperCase()}'`,
]

/** The id in every way that a storage or a tool writes it, by form. */
function writings(family: IdFamily, id: string): [form: string, text: string][] {
  const stored = family.storages.flatMap((storage) => {
    // MySQL's bigint holds all of an id's 64 bits.
    const database = storage === 'bigint' ? 'mysql' : 'postgres'
    // As bytes: a text of digits alone could be a number as well.
    const value = storageFor(family, database, { storage }).toDatabase(family.decode(id))
    return value instanceof Uint8Array ? [] : ([[storage, String(value)]] as [string, string][])
  })
  const uuids = stored
    .filter(([storage]) => storage.startsWith('uuid'))
    .flatMap(([storage, uuid]) =>
      [uuid.toUpperCase(), ...hexes(uuid.replaceAll('-', ''))].map((text) => [storage, text]),
    )
  const bytes = hexes(hexOf(family.decode(id))).map((text) => ['binary', text])
  return [['text', id], ...stored, ...uuids, ...bytes] as [string, string][]
}

describe('readings', () => {
  test('find the family and the id in every form', () => {
    fc.assert(
      fc.property(anyId, ({ family, id }) => {
        for (const [form, text] of writings(family, id)) {
          const found = read(text, FAMILIES).filter((one) => one.family === family && one.id === id)
          expect(found, text).toHaveLength(1)
          // 16 bytes are believed to be a uuid first.
          const told = family === whole && form === 'binary' ? 'uuid' : form
          // A flake's number is its text, and so is the hex of some families of one's own.
          expect(found[0]?.form, text).toBe(text === id ? 'text' : told)
        }
      }),
      { examples: [[{ family: ticket, id: '6000000000000000' as TicketId }]] },
    )
  })

  test('contain only canonical ids, each of a family once, by plausibility, then form, then family', () => {
    const order = ['uuid8', 'text', 'uuid', 'binary', 'bigint']
    const keyOf = ({ plausible, form, family }: IdReading): string =>
      [plausible ? 0 : 1, order.indexOf(form), FAMILIES.indexOf(family)].join()
    fc.assert(
      fc.property(anyText, (text) => {
        const found = read(text, FAMILIES)
        for (const { family, id } of found) expect(family.parse(id)).toBe(id)
        expect(new Set(found.map(({ family, id }) => `${family.name} ${id}`)).size).toBe(found.length)
        expect(found.map(keyOf)).toEqual(found.map(keyOf).sort())
        const alone = FAMILIES.flatMap((family) => read(text, [family]))
        expect(found).toHaveLength(alone.length)
        expect(found).toEqual(expect.arrayContaining(alone))
      }),
    )
  })

  test('put the family that generated an id just now first', () => {
    const clock = () => NOW_MS - 3_600_000
    const makers = [
      sno.generator({ partition: 1291, clock }),
      flax.generator({ clock }),
      uid.generator({ node: 'test', clock }),
      flake.generator({ datacenter: 1, worker: 2, clock }),
      uidLocal.generator({ clock }),
    ]
    for (const generator of makers) {
      const id = generator.generate()
      expect(read(id)[0]).toEqual({ family: generator.family, form: 'text', id, plausible: true })
    }
  })

  test('find the prefix of a text, and add none to bare texts', () => {
    const bare = flax.generate()
    const [found, ...others] = read(`cus_${bare}`, [flax, sno])
    expect([found?.family.name, found?.id, others]).toEqual(['cus', `cus_${bare}`, []])
    expect(isSameFamily(found?.family as IdFamily, prefixed(flax, 'cus'))).toBe(true)
    expect(refusals(`cus_${bare}`, [flax, sno]).map(({ family }) => family)).toEqual([sno])
    expect(read('evt_5828128208445124608', [flake]).map(({ family }) => family.name)).toEqual(['evt'])
    for (const text of [`Cus_${bare}`, `_${bare}`, `cus${bare}`, `cus_${bare}!`, `cus__${bare}`, bare]) {
      expect(read(text, [flax]).map(({ family }) => family)).toEqual(text === bare ? [flax] : [])
    }
  })

  test('recognize a uuid8 by its tag', () => {
    for (const [i, family] of [flax, sno, flake, uid, uidLocal].entries()) {
      const uuid = storageFor(family as IdFamily, 'postgres', { storage: 'uuid8' }).toDatabase(family.min)
      expect(uuid).toMatch(new RegExp(`0${i + 1}$`))
      expect(named(String(uuid))).toEqual([`${family.name} uuid8`])
    }
  })

  test('put a uuid8 before a family that accepts any uuid', () => {
    const id = sno.pack({ timeMs: Date.UTC(2026, 0), tickTock: 0, meta: 0, partition: 0, sequence: 0 })
    const uuid = String(storageFor(sno, 'postgres', { storage: 'uuid8' }).toDatabase(id))
    const nowMs = whole.timeMs(whole.encode(bytesOf(uuid.replaceAll('-', ''))))
    const found = readings(uuid, [whole, sno], { nowMs })
    expect(found.map(({ family, form, plausible }) => [family.name, form, plausible])).toEqual([
      ['sno', 'uuid8', true],
      ['whole', 'uuid', true],
    ])
    const bare = readings(uuid.replaceAll('-', ''), [whole, sno], { nowMs })
    expect(bare.map(({ family, form }) => `${family.name} ${form}`)).toEqual(['sno uuid8', 'whole text'])
  })

  test('contain all that a text can be, the plausible times first', () => {
    expect(named('5828128208445124')).toEqual([
      'flax text',
      'flake binary',
      'uid text',
      'flake text',
      'uidLocal binary',
      'uidLocal bigint',
    ])
    expect(read('5828128208445124').map(({ plausible }) => plausible)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })

  test('are of the families passed, and no others', () => {
    expect(named(SNO, [sno])).toEqual(['sno text'])
    expect(named(SNO, [sno, sno])).toEqual(['sno text'])
    expect(named(SNO, [])).toEqual([])
    const later = flake.withEpoch(Date.UTC(2020, 0))
    expect(read('5828128208445124608', [later, flake]).map(({ family }) => family)).toEqual([flake, later])
  })

  test('find bytes and text of a family that stores neither', () => {
    const bare: IdFamily = { ...(sno as IdFamily), storages: [] }
    expect(named(SNO, [bare])).toEqual(['sno text'])
    expect(named('\\x4e6f2160a0ff9a0a1033', [bare])).toEqual(['sno binary'])
    expect(named('4e6f2160-a0ff-89a0-8a10-330000000002', [bare])).toEqual([])
    expect(named('6272706b-3471-3732-7877-66326d36336c', [bare])).toEqual([])
  })

  test('accept numbers up to 2^64 - 1', () => {
    expect(named('18446744073709551615')).toContain('uidLocal bigint')
    expect(named('9223372036854775808')).toContain('uidLocal bigint')
    expect(named('18446744073709551616')).toEqual(['sno binary'])
    expect(named('0')).toEqual(['flake text', 'uidLocal bigint'])
  })

  test('accept a uuid with all, some or no hyphens', () => {
    expect(named('4e6f2160a0ff-89a08a10-330000000002')).toEqual(['sno uuid8'])
    expect(named('4e6f2160a0ff89a08a10330000000002')).toEqual(['sno uuid8'])
  })

  test.each([
    ['nothing', ''],
    ['a blank', ' '],
    ['a word', 'hello'],
    ['a word of hex digits', 'facade'],
    ['a UUIDv4', '0d2fe7f4-97a5-4a46-ae5b-e6cc0c0c0739'],
    ['a number of 69 bits', '368934881474191032320'],
    ['a number with leading zeros', '0005828128208445124608'],
    ['a negative number', '-1'],
    ['a number with a sign', '+1'],
    ['a number with a fraction', '1.0'],
    ['half a byte of hex', '\\x05ca55528f7680cb8bb9bdc'],
    ['no byte of hex', '\\x'],
    ['hex with a quote at one end', "X'4e6f2160a0ff9a0a1033"],
    ['hex in quotes of text', "'4e6f2160a0ff9a0a1033'"],
    ['hex that is marked twice', '\\x0x4e6f2160a0ff9a0a1033'],
    ['hex in several lines', '4e6f2160a0\nff9a0a1033'],
    ['hex and a line break', '4e6f2160a0ff9a0a1033\n'],
    ['an id and more', `${SNO}, brpk4q72xwf2m63m`],
    ['an id with a blank', ` ${SNO}`],
    ['a hyphen in a wrong place', '4e6f216-0a0ff-89a0-8a10-330000000002'],
    ['a uuid8 with a foreign tag', '4e6f2160-a0ff-89a0-8a10-330000000009'],
    ['a uuid in braces', '{4e6f2160-a0ff-89a0-8a10-330000000002}'],
    ['letters of other scripts', 'brpk4q72xwf2m63ł'],
  ])('contain nothing for %s', (_, text) => {
    expect(named(text)).toEqual([])
  })

  test('refuse what is not a string', () => {
    for (const value of [5828128208445124608n, 5, bytesOf('4e6f2160a0ff9a0a1033'), null, undefined]) {
      expectRefusal(() => readings(value as never, OURS), 'INVALID_TYPE')
    }
  })

  test('pass on other errors of a family', () => {
    const broken: IdFamily = {
      ...(sno as IdFamily),
      parse: () => {
        throw new RangeError('broken')
      },
    }
    expect(() => readings(SNO, [broken])).toThrow(RangeError)
  })
})
