import { flake, flax, sno } from '@snoflax/core'
import { isPlausible } from '@snoflax/core/inspect'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'

const NOW_MS = Date.UTC(2026, 10, 21)
const DAY_MS = 86_400_000

const flakeAt = (timeMs: number) => flake.pack({ timeMs, datacenter: 0, worker: 0, counter: 0 })

describe('an id is plausible', () => {
  test.each([
    ['1970', 0, false],
    ['just before 2010', Date.UTC(2010) - 1, false],
    ['2010', Date.UTC(2010), true],
    ['now', NOW_MS, true],
    ['in a day', NOW_MS + DAY_MS, true],
    ['in more than a day', NOW_MS + DAY_MS + 1, false],
  ])('of %s: %s', (_, timeMs, expected) => {
    expect(isPlausible(flake, flakeAt(timeMs), { nowMs: NOW_MS })).toBe(expected)
  })

  test('by the clock, or by nowMs if that is passed', () => {
    expect(isPlausible(flax, flax.generate())).toBe(true)
    expect(isPlausible(flake, flakeAt(Date.now() + 2 * DAY_MS))).toBe(false)
    expect(isPlausible(flake, flakeAt(Date.now() + 2 * DAY_MS), { nowMs: Date.now() + DAY_MS })).toBe(true)
  })

  test('or else malformed, which is refused', () => {
    expectRefusal(() => isPlausible(sno, 'nope'), 'INVALID_LENGTH')
    expectRefusal(() => isPlausible(flake, flake.min, { nowMs: Number.NaN }), 'INVALID_TIME')
    expectRefusal(() => isPlausible(sno, sno.max, { nowMs: 'now' as never }), 'INVALID_TYPE')
  })
})
