import { flake, flax, type RandomSource, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { counting } from './random-sources.js'

afterEach(() => {
  vi.restoreAllMocks()
})

const BAD_SOURCES: Record<string, RandomSource> = {
  'fills nothing': () => {},
  'writes zeros': (bytes) => void bytes.fill(0),
  'writes the same byte everywhere': (bytes) => void bytes.fill(0xa5),
  'fills only the beginning': (bytes) => bytes.set([7, 1, 8, 2]),
}

/** The process's pool drops what earlier tests left over at a jump of the clock, which it looks at once in a millisecond. */
function dropBytes(): void {
  const lookedMs = Date.now()
  while (Date.now() === lookedMs);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5000)
}

describe.each(Object.entries(BAD_SOURCES))('a source that %s', (_, bad) => {
  test.each([true, false])('is an error, monotonic: %s', (monotonic) => {
    const { generate, generateAt, batch } = flax.generator({ random: bad, monotonic })
    for (const call of [generate, () => generateAt(new Date()), () => batch(2), generate]) {
      expectRefusal(call, 'INVALID_OPTION', { field: 'random' })
      expect(call).toThrow(/^random: must fill the whole array/)
    }
  })

  test('is an error after it has filled the array before', () => {
    let calls = 0
    const { batch } = flax.generator({ random: (bytes) => (calls++ === 0 ? counting() : bad)(bytes) })
    expectRefusal(() => batch(5000), 'INVALID_OPTION', { field: 'random' })
  })

  test('is an error as crypto.getRandomValues', () => {
    dropBytes()
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
      bad(bytes as unknown as Uint8Array)
      return bytes
    })
    expect(() => flax.generator().generate()).toThrow(/^crypto\.getRandomValues: must fill the whole array/)
  })
})

test('creating generators draws no randomness and starts no timer', () => {
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation(() => {
    throw new Error('no randomness while modules load')
  })
  const timers = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'setInterval')]
  const generators = [
    flax.generator(),
    flax.generator({ monotonic: true }),
    sno.generator(),
    sno.generator({ sequenceMin: 0, sequenceMax: 99 }),
    flake.generator({ id: 1 }),
    uid.generator({ node: 'a' }),
    uidLocal.generator(),
  ]
  expect(random).not.toHaveBeenCalled()
  for (const timer of timers) expect(timer).not.toHaveBeenCalled()
  vi.restoreAllMocks()
  for (const { family, generate } of generators) expect(family.is(generate())).toBe(true)
})

test('generators of all families share one call of crypto.getRandomValues', () => {
  dropBytes()
  const random = vi.spyOn(crypto, 'getRandomValues')
  for (const family of [flax, uuid7, ulid, typeid('cus')]) family.generator().generate()
  expect(random).toHaveBeenCalledTimes(1)
})

test('after a call that failed nobody gets bytes that are left', () => {
  let calls = 0
  const { generate } = flax.generator({
    random: (bytes) => (calls++ === 1 ? bytes.fill(0) : crypto.getRandomValues(bytes)),
    monotonic: false,
  })
  generate()
  expectRefusal(() => {
    while (calls === 1) generate()
  }, 'INVALID_OPTION')
  generate()
  expect(calls).toBe(3)
})

describe('a jump of the clock', () => {
  /** Clocks that stand still unless moved. */
  const clocks = () => {
    const times = { wallMs: Date.UTC(2026, 10, 1), monotonicMs: 5000 }
    vi.spyOn(Date, 'now').mockImplementation(() => times.wallMs)
    vi.spyOn(performance, 'now').mockImplementation(() => times.monotonicMs)
    return times
  }

  test.each([
    ['a second forward', 1000, 0, 2],
    ['a second back', -1000, 0, 2],
    ['less than a second', 999, 0, 1],
    ['a day of running', 86_400_000, 86_400_000, 1],
    ['a pause of the monotonic clock', 86_400_000, 0, 2],
  ])('%s', (_, wallMs, monotonicMs, calls) => {
    const times = clocks()
    const random = vi.fn<RandomSource>((bytes) => crypto.getRandomValues(bytes))
    const { generate } = flax.generator({ random })
    generate()
    times.wallMs += wallMs
    times.monotonicMs += monotonicMs
    generate()
    expect(random).toHaveBeenCalledTimes(calls)
  })

  test('in small steps', () => {
    const times = clocks()
    const random = vi.fn<RandomSource>((bytes) => crypto.getRandomValues(bytes))
    const { generate } = flax.generator({ random, monotonic: false })
    for (let step = 0; step < 11; step++) {
      generate()
      times.wallMs += 100
    }
    expect(random).toHaveBeenCalledTimes(2)
  })

  test.each(['generate', 'generateAt'] as const)('is noticed by %s of a monotonic generator', (name) => {
    const times = clocks()
    const random = vi.fn<RandomSource>((bytes) => crypto.getRandomValues(bytes))
    const generator = flax.generator({ random, monotonic: true })
    generator[name](flax.firstMs)
    times.wallMs += 5000
    generator[name](flax.firstMs)
    expect(random).toHaveBeenCalledTimes(2)
  })
})
