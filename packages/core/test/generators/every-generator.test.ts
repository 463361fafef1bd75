import { flake, flax, type IdFamily, type IdGenerator, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { START_MS, scriptedClock } from './clocks.js'
import { isPendingAfter, settled, virtualTime } from './virtual-time.js'

virtualTime()

interface Candidate {
  readonly name: string
  readonly family: IdFamily
  readonly make: (clock?: () => number) => IdGenerator<string> & { generateAsync?: () => Promise<string> }
}

const clocked = (clock: (() => number) | undefined) => (clock ? { clock } : {})

const candidates: readonly Candidate[] = [
  { name: 'flax', family: flax as IdFamily, make: (clock) => flax.generator(clocked(clock)) },
  {
    name: 'flax, monotonic',
    family: flax as IdFamily,
    make: (clock) => flax.generator({ ...clocked(clock), monotonic: true }),
  },
  {
    name: 'sno',
    family: sno as IdFamily,
    make: (clock) => sno.generator({ partition: 1, ...clocked(clock) }),
  },
  {
    name: 'flake',
    family: flake as IdFamily,
    make: (clock) => flake.generator({ id: 1, ...clocked(clock) }),
  },
  {
    name: 'uid',
    family: uid as IdFamily,
    make: (clock) => uid.generator({ node: 'a@h', ...clocked(clock) }),
  },
  { name: 'uidLocal', family: uidLocal as IdFamily, make: (clock) => uidLocal.generator(clocked(clock)) },
]

describe.each(candidates)('$name', ({ name, family, make }) => {
  test('names its family, and generates ids of it', () => {
    const generator = make(() => START_MS)
    expect(generator.family).toBe(family)
    expect(family.parse(generator.generate())).toMatch(family.pattern)
  })

  test('batch returns as many ids as asked for, in the order of single calls', () => {
    const generator = make(() => START_MS)
    expect(generator.batch(0)).toEqual([])
    const ids = generator.batch(1000)
    expect(ids).toHaveLength(1000)
    expect(new Set(ids).size).toBe(1000)
    if (name !== 'flax') expect(ids).toEqual([...ids].sort())
  })

  test('batch continues after single calls', () => {
    const [one, other] = [make(() => START_MS), make(() => START_MS)]
    const first = one.generate()
    const batch = one.batch(10)
    expect(new Set([first, ...batch]).size).toBe(11)
    if (name !== 'flax') expect([first, ...batch]).toEqual([first, ...batch].sort())
    // flax starts at a random number.
    if (family !== flax) expect([first, ...batch]).toEqual(other.batch(11))
  })

  test('its functions can be called without the generator as `this`', async () => {
    const { generate, batch, generateAsync } = make(() => START_MS)
    const ids = [generate(), ...batch(2), await generateAsync?.(), generate()].filter(Boolean)
    for (const id of ids) expect(id).toMatch(family.pattern)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThanOrEqual(4)
  })

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32])(
    'a batch of %d ids is refused',
    (count) => {
      const error = expectRefusal(() => make(() => START_MS).batch(count), 'FIELD_OUT_OF_RANGE')
      expect(error).toMatchObject({ field: 'count', value: count })
    },
  )

  test('a batch size that is not a number is refused', () => {
    for (const count of ['3', 3n, undefined, null]) {
      expectRefusal(() => make(() => START_MS).batch(count as never), 'INVALID_TYPE')
    }
  })

  test('a clock that does not return a time is refused at once', async () => {
    for (const reading of [Number.NaN, new Date(Number.NaN)]) {
      const generator = make(() => reading as number)
      expectRefusal(() => generator.generate(), 'INVALID_TIME')
      if (generator.generateAsync === undefined) continue
      const promise = generator.generateAsync()
      expect(await isPendingAfter(promise, 5)).toBe(false)
      await expect(promise).rejects.toMatchObject({ code: 'INVALID_TIME' })
    }
  })

  test('an error of the clock is thrown, and no number is lost', () => {
    const clock = scriptedClock()
    const generator = make(clock.read)
    expect(() => generator.generate()).toThrow('more than 0 times')
    clock.play([START_MS])
    expect(family.timeMs(generator.generate() as never)).toBe(START_MS)
  })

  test('a clock out of range is refused, and no number is lost', () => {
    for (const outside of [family.firstMs - 1, family.firstMs - 0.5, family.lastMs + 4]) {
      const clock = scriptedClock(START_MS, outside, START_MS)
      const generator = make(clock.read)
      const first = generator.generate()
      expectRefusal(() => generator.generate(), 'TIME_OUT_OF_RANGE', { family: family.name, field: 'time' })
      const ids = [first, generator.generate()]
      if (family !== flax) expect(ids).toEqual(make(() => START_MS).batch(2))
    }
  })

  test('without a clock, ids have the present time', () => {
    const before = Date.now()
    const id = make().generate()
    expect(family.timeMs(id as never)).toBeGreaterThan(before - 5)
    expect(family.timeMs(id as never)).toBeLessThanOrEqual(Date.now())
  })

  // Only flax never waits, so it has no generateAsync.
  test('generateAsync and generate share their numbers', async () => {
    const [one, other] = [make(() => START_MS), make(() => START_MS)]
    expect(one.generateAsync === undefined).toBe(family === flax)
    if (one.generateAsync === undefined) return
    const ids = [one.generate(), await settled(one.generateAsync()), one.generate()]
    expect(ids).toEqual(other.batch(3))
  })
})
