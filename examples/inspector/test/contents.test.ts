import { flake, flax, type IdFamily, sno } from '@snoflax/core'
import { readings } from '@snoflax/core/inspect'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayBounds } from '#inspector/day'
import { FAMILIES, titleOf } from '#inspector/families'
import { dayOf, momentOf, relative } from '#inspector/moments'
import { storedForms } from '#inspector/stored-forms'
import { unpacked } from '#inspector/unpacked'
import { anyId, family, hexOf } from './ids.js'

const SNO = 'brpk4q72xwf2m63l'
const DAY_MS = 86_400_000

describe('stored forms', () => {
  test('include every storage of the family, and each is read back', () => {
    fc.assert(
      fc.property(anyId, ({ family, id }) => {
        const forms = storedForms(family, id)
        expect(forms.map(({ storage }) => storage)).toEqual(family.storages)
        for (const { value, refusal } of forms) {
          if (value === undefined) expect(refusal).toContain('2^63')
          else
            expect(readings(value, FAMILIES).some((fit) => fit.family === family && fit.id === id)).toBe(true)
        }
      }),
    )
  })

  test('are as the specification writes them', () => {
    expect(storedForms(family('sno'), SNO).map(({ storage, value }) => [storage, value])).toEqual([
      ['text', SNO],
      ['uuid', '6272706b-3471-3732-7877-66326d36336c'],
      ['binary', '\\x4e6f2160a0ff9a0a1033'],
      ['uuid8', '4e6f2160-a0ff-89a0-8a10-330000000002'],
    ])
    expect(storedForms(family('flake'), '5828128208445124608')[0]?.value).toBe('5828128208445124608')
  })

  test('explain why a number does not fit a signed column', () => {
    const [bigint] = storedForms(family('flake'), flake.max)
    expect(bigint).toMatchObject({ storage: 'bigint', value: undefined })
    expect(bigint?.refusal).toContain('2^63')
  })
})

test.each([
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 'uuid7'],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid'],
  ['01h455vb4pex5vsknk084sn02q', 'typeid'],
  ['user_01h455vb4pex5vsknk084sn02q', 'typeid behind user_'],
  ['175928847299117063', 'discord'],
  ['1823945883910279168', 'twitter'],
])('%s is read as %s first', (text, title) => {
  const [first] = readings(text, FAMILIES, { nowMs: Date.UTC(2026, 10, 22) })
  expect(first && titleOf(first.family)).toBe(title)
})

describe('unpacked', () => {
  test('shows the fields of unpack, bytes as hex', () => {
    const id = flax.pack({ timeMs: Date.UTC(2026, 0, 1), random: Uint8Array.of(1, 2, 3, 4, 5, 6, 255) })
    expect(unpacked(family('flax'), id)).toEqual([
      ['timeMs', String(Date.UTC(2026, 0, 1))],
      ['random', '010203040506ff (7 bytes)'],
    ])
  })
})

describe('times', () => {
  const nowMs = Date.UTC(2026, 10, 21, 12)

  test('are shown in UTC, locally and relative to now', () => {
    expect(momentOf(nowMs - 3 * DAY_MS, nowMs, 'en-GB')).toMatchObject({
      utc: '2026-11-18T12:00:00.000Z',
      local: expect.stringContaining('18 November 2026'),
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      relative: '3 days ago',
    })
  })

  test.each([
    [0, 'now'],
    [-999, 'now'],
    [-59_999, '59 seconds ago'],
    [-60_000, '1 minute ago'],
    [3_600_000, 'in 1 hour'],
    [-1.5 * DAY_MS, 'yesterday'],
    [-400 * DAY_MS, 'last year'],
    [12_000 * 366 * DAY_MS, 'in 12,024 years'],
  ])('%d ms from now: %s', (differenceMs, told) => {
    expect(relative(differenceMs, 'en-GB')).toBe(told)
  })

  test('a day contains its times, also before 1970', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e13, max: 1e13 }), (timeMs) => {
        const { from, to } = dayOf(timeMs)
        expect(from <= timeMs && timeMs < to && to - from === DAY_MS).toBe(true)
        expect(new Date(from).toISOString()).toMatch(/T00:00:00\.000Z$/)
      }),
    )
  })
})

/** uid's 20 bits of seconds hold more than a clock gives; such ids don't sort by time. */
const isOfAClock = ({ family, id }: { family: IdFamily; id: string }): boolean =>
  ((family.unpack(id) as { seconds?: number }).seconds ?? 0) < 1_000_000

describe('ids of a day', () => {
  test('are between its bounds, as bytes', () => {
    fc.assert(
      fc.property(anyId.filter(isOfAClock), ({ family, id }) => {
        const { bounds } = dayBounds(family, id)
        for (const { gte, lt } of bounds.filter(({ gte }) => gte.storage === 'binary')) {
          const value = `\\x${hexOf(family.decode(id))}`
          expect(String(gte.value) <= value && value < String(lt?.value ?? '~')).toBe(true)
        }
      }),
    )
  })

  test('of sno are exactly those of its day', () => {
    const { date, bounds } = dayBounds(family('sno'), SNO)
    expect(date).toBe('2031-05-08')
    const { gte, lt } = sno.range(new Date('2031-05-08'), new Date('2031-05-09'))
    const text = bounds.find((one) => one.gte.storage === 'text')
    expect([text?.gte.value, text?.lt?.value]).toEqual([gte, lt])
  })

  test('have no upper bound on the last day of a family', () => {
    for (const last of [family('flax'), family('uid')]) {
      const { bounds } = dayBounds(last, last.max)
      expect(bounds.map(({ lt }) => lt)).toEqual(last.storages.map(() => undefined))
    }
  })
})
