import { type FlaxId, flax } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { START_MS, scriptedClock, wallClock } from './clocks.js'
import { constant, counting, repeating } from './random-sources.js'

const HOUR_MS = 3_600_000

describe('flax, plain', () => {
  test('has the millisecond of the clock and seven fresh bytes in each id', () => {
    const clock = scriptedClock(START_MS, START_MS, START_MS - HOUR_MS, START_MS + 7.9)
    const generator = flax.generator({ clock: clock.read, random: counting() })
    const fields = [0, 1, 2, 3].map(() => flax.unpack(generator.generate()))
    expect(fields).toEqual(
      [START_MS, START_MS, START_MS - HOUR_MS, START_MS + 7].map((timeMs, nth) => ({
        timeMs,
        random: Uint8Array.from({ length: 7 }, (_, i) => 7 * nth + i),
      })),
    )
    expect(clock.left).toBe(0)
  })

  test('uses no random byte twice, over many calls of the source', () => {
    const seen: Uint8Array[] = []
    const generator = flax.generator({
      clock: () => START_MS,
      random(bytes) {
        crypto.getRandomValues(bytes)
        seen.push(bytes.slice())
      },
    })
    // 2,340 ids a call; its last four bytes are too few for another.
    const used = generator.batch(3000).flatMap((id) => [...flax.unpack(id).random])
    expect(used).toEqual(seen.flatMap((bytes) => [...bytes.slice(0, 7 * 2340)]).slice(0, used.length))
    expect(seen.length).toBeGreaterThan(1)
  })

  test('refuses a random source that returns bytes instead of filling the array', () => {
    for (const random of [
      () => new Uint8Array(7),
      async (bytes: Uint8Array) => crypto.getRandomValues(bytes),
    ]) {
      const { generate } = flax.generator({ random: random as () => void })
      expect(expectRefusal(generate, 'INVALID_OPTION', { field: 'random' }).message).toMatch(
        /^random: must fill the array/,
      )
      expectRefusal(generate, 'INVALID_OPTION')
    }
    expect(flax.is(flax.generator({ random: (bytes) => crypto.getRandomValues(bytes) }).generate())).toBe(
      true,
    )
  })

  test('generateAt has the time passed, without its fraction, and reads no clock', () => {
    const generator = flax.generator({ clock: scriptedClock().read, random: constant(0) })
    expect(flax.unpack(generator.generateAt(START_MS + 0.999)).timeMs).toBe(START_MS)
    expect(generator.generateAt(new Date(START_MS))).toBe(flax.lowerBound(START_MS))
    expect(generator.generateAt(flax.lastMs + 0.5)).toBe(flax.lowerBound(flax.lastMs))
  })

  test('by default has the present time and never the same bytes', () => {
    const before = Date.now()
    const ids = Array.from({ length: 2000 }, () => flax.generate())
    const after = Date.now()
    for (const id of ids) {
      expect(flax.timeMs(id)).toBeGreaterThanOrEqual(before)
      expect(flax.timeMs(id)).toBeLessThanOrEqual(after)
    }
    expect(new Set(ids.map((id) => String(flax.unpack(id).random))).size).toBe(ids.length)
  })
})

describe('flax, monotonic', () => {
  const numberOf = (id: FlaxId): bigint => BigInt(`0x${Buffer.from(flax.unpack(id).random).toString('hex')}`)

  test('within a millisecond adds 1 and a random number of 40 bits', () => {
    const generator = flax.generator({ monotonic: true, clock: () => START_MS, random: counting() })
    const ids = generator.batch(3)
    expect(ids.map((id) => flax.timeMs(id))).toEqual([START_MS, START_MS, START_MS])
    const [first, second, third] = ids.map(numberOf) as [bigint, bigint, bigint]
    expect(first).toBe(0x00010203040506n)
    // Five fresh bytes: 07 to 0b, then 0c to 10.
    expect(second - first).toBe(1n + 0x0708090a0bn)
    expect(third - second).toBe(1n + 0x0c0d0e0f10n)
  })

  test('takes fresh bytes in a later millisecond', () => {
    const clock = scriptedClock(START_MS, START_MS + 1)
    const generator = flax.generator({ monotonic: true, clock: clock.read, random: counting() })
    generator.generate()
    expect(flax.unpack(generator.generate())).toEqual({
      timeMs: START_MS + 1,
      random: Uint8Array.of(7, 8, 9, 10, 11, 12, 13),
    })
  })

  test('keeps the last time while the clock is an hour behind, and continues with the clock afterwards', () => {
    const clock = wallClock()
    const generator = flax.generator({ monotonic: true, clock: clock.read })
    const ids = [generator.generate()]
    clock.nowMs -= HOUR_MS
    ids.push(...generator.batch(1000))
    expect(ids.every((id) => flax.timeMs(id) === START_MS)).toBe(true)
    clock.nowMs = START_MS + 5
    ids.push(generator.generate())
    expect(flax.timeMs(ids.at(-1) as FlaxId)).toBe(START_MS + 5)
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  test('moves to the next millisecond, ahead of the clock, if the random part overflows', () => {
    const generator = flax.generator({ monotonic: true, clock: () => START_MS, random: constant(0xff) })
    const ids = generator.batch(4)
    const full = new Uint8Array(7).fill(0xff)
    expect(ids.map((id) => flax.unpack(id))).toEqual(
      [0, 1, 2, 3].map((ahead) => ({ timeMs: START_MS + ahead, random: full })),
    )
  })

  test('counts by one if the source returns zeros', () => {
    const generator = flax.generator({ monotonic: true, clock: () => START_MS, random: constant(0) })
    expect(generator.batch(600).map(numberOf)).toEqual(Array.from({ length: 600 }, (_, i) => BigInt(i)))
  })

  test('carries through all bytes', () => {
    const random = repeating([0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0])
    const generator = flax.generator({ monotonic: true, clock: () => START_MS, random })
    expect(generator.batch(2).map(numberOf)).toEqual([0xffffffffffn, 0x10000000000n])
  })

  test('is exhausted for good after the last id of the last millisecond', () => {
    const generator = flax.generator({ monotonic: true, clock: () => flax.lastMs, random: constant(0xff) })
    expect(generator.generate()).toBe(flax.max)
    for (let i = 0; i < 3; i++) expectRefusal(() => generator.generate(), 'TIME_OUT_OF_RANGE')
  })

  test('continues after a clock that was out of range', () => {
    const clock = scriptedClock(START_MS, Number.NaN, flax.lastMs + 1, START_MS)
    const generator = flax.generator({ monotonic: true, clock: clock.read, random: constant(0) })
    const first = generator.generate()
    expectRefusal(() => generator.generate(), 'INVALID_TIME')
    expectRefusal(() => generator.generate(), 'TIME_OUT_OF_RANGE')
    expect(numberOf(generator.generate())).toBe(numberOf(first) + 1n)
  })

  test('generateAt is not monotonic and does not affect generate', () => {
    const generator = flax.generator({ monotonic: true, clock: () => START_MS, random: constant(0) })
    const first = generator.generate()
    expect(flax.timeMs(generator.generateAt(START_MS + HOUR_MS))).toBe(START_MS + HOUR_MS)
    const second = generator.generate()
    expect(flax.timeMs(second)).toBe(START_MS)
    expect(numberOf(second)).toBe(numberOf(first) + 1n)
  })
})

test('flax.monotonic ascends, and is one generator', () => {
  const ids = flax.monotonic.batch(1000)
  expect([...ids].sort()).toEqual(ids)
  expect(flax.monotonic).toBe(flax.monotonic)
})
