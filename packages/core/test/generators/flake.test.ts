import { type FlakeGeneratorOptions, type FlakeId, type FlakeIdentity, flake } from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { START_MS, scriptedClock, slow, wallClock } from './clocks.js'
import { isPendingAfter, settled, virtualTime } from './virtual-time.js'

const HOUR_MS = 3_600_000

virtualTime()

/** Milliseconds from the start, and counter. */
const place = (id: FlakeId): readonly [number, number] => {
  const { timeMs, counter } = flake.unpack(id)
  return [timeMs - START_MS, counter]
}

const tiny = (clock: () => number, options: Partial<FlakeGeneratorOptions> = {}) =>
  flake.generator({ id: 5, counterMask: 1, clock, ...options } as FlakeGeneratorOptions)

describe('flake: one id', () => {
  test('has the time of the clock, the datacenter and worker, and a counter for each millisecond', () => {
    const clock = scriptedClock(START_MS, START_MS + 0.9, START_MS + 1)
    const generator = flake.generator({ datacenter: 3, worker: 30, clock: clock.read })
    expect(generator.batch(3).map((id) => flake.unpack(id))).toEqual([
      { timeMs: START_MS, datacenter: 3, worker: 30, counter: 0 },
      { timeMs: START_MS, datacenter: 3, worker: 30, counter: 1 },
      { timeMs: START_MS + 1, datacenter: 3, worker: 30, counter: 0 },
    ])
  })

  test('equals its packed fields, whatever digits the millisecond has', () => {
    // Times whose number is just below a multiple of 10^9, where digits carry over, and any others.
    const carrying = fc
      .record({
        billions: fc.integer({ min: 0, max: 18_446_744_073 }),
        below: fc.integer({ min: 0, max: 2 ** 23 }),
      })
      .map(({ billions, below }) => Number((BigInt(billions) * 1_000_000_000n - BigInt(below)) >> 22n))
      .filter((timeMs) => timeMs >= 0)
    const time = fc.oneof(
      fc.integer({ min: 0, max: flake.lastMs }),
      fc.integer({ min: 0, max: 300 }),
      carrying,
    )
    fc.assert(
      fc.property(time, fc.integer({ min: 0, max: 1023 }), (timeMs, id) => {
        const ids = flake.generator({ id, clock: () => timeMs }).batch(50)
        const worker = { datacenter: id >> 5, worker: id & 31 }
        expect(ids).toEqual(ids.map((_, counter) => flake.pack({ timeMs, ...worker, counter })))
      }),
      { numRuns: 1000 },
    )
  })

  test('counts from its own epoch, which may be before 1970', () => {
    for (const epochMs of [START_MS, START_MS - 1, 0, -1_000_000]) {
      const family = flake.withEpoch(epochMs)
      const id = family.generator({ id: 1023, clock: () => START_MS }).generate()
      expect(family.toBigInt(id)).toBe((BigInt(START_MS - epochMs) << 22n) | (1023n << 12n))
      expect(family.timeMs(id)).toBe(START_MS)
    }
  })
})

describe('flake: a millisecond that is used up', () => {
  test("throws after one reading of the clock with onOverflow: 'throw'", () => {
    const clock = scriptedClock(START_MS, START_MS, START_MS, START_MS + 1)
    const generator = tiny(clock.read, { onOverflow: 'throw' })
    generator.batch(2)
    expectRefusal(() => generator.generate(), 'SEQUENCE_EXHAUSTED')
    expect(clock.left).toBe(1)
    expect(place(generator.generate())).toEqual([1, 0])
  })

  test('has 4096 ids, or as many as the counterMask allows', () => {
    for (const bits of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
      const generator = flake.generator({
        id: 0,
        counterMask: 2 ** bits - 1,
        onOverflow: 'throw',
        clock: () => START_MS,
      })
      expect(generator.batch(2 ** bits).map((id) => place(id)[1])).toEqual(
        Array.from({ length: 2 ** bits }, (_, i) => i),
      )
      expectRefusal(() => generator.generate(), 'SEQUENCE_EXHAUSTED')
    }
  })
})

describe('flake: a clock that moved back', () => {
  test('is waited for up to 10 ms by default, and ids continue in the last millisecond', () => {
    const clock = scriptedClock(...[10, 0, 3, 9, 10, 10].map((ms) => START_MS + ms))
    const generator = flake.generator({ id: 5, clock: clock.read })
    expect(generator.batch(3).map(place)).toEqual([
      [10, 0],
      [10, 1],
      [10, 2],
    ])
    expect(clock.left).toBe(0)
  })

  test('by more than 10 ms is refused at once, with the time to wait', () => {
    for (const behind of [11, HOUR_MS]) {
      const clock = scriptedClock(START_MS, START_MS - behind, START_MS)
      const generator = flake.generator({ id: 5, clock: clock.read })
      generator.generate()
      const error = expectRefusal(() => generator.generate(), 'CLOCK_MOVED_BACK')
      expect(error).toMatchObject({ family: 'flake', waitMs: behind })
      expect(error.message).toContain(`${behind} ms`)
      expect(place(generator.generate())).toEqual([0, 1])
    }
  })

  test('is refused after 10 ms of blocking if it stands still', () => {
    const clock = wallClock()
    let readings = 0
    const generator = flake.generator({
      id: 5,
      clock: slow(() => {
        readings++
        return clock.nowMs
      }),
    })
    generator.generate()
    clock.nowMs -= 7
    readings = 0
    expect(expectRefusal(() => generator.generate(), 'CLOCK_MOVED_BACK').waitMs).toBe(7)
    expect(readings).toBeGreaterThanOrEqual(10)
    expect(readings).toBeLessThanOrEqual(13)
  })

  test("throws after one reading of the clock with onClockBack: 'throw'", () => {
    const clock = scriptedClock(START_MS, START_MS - 1, START_MS)
    const generator = flake.generator({ id: 5, onClockBack: 'throw', clock: clock.read })
    generator.generate()
    expect(expectRefusal(() => generator.generate(), 'CLOCK_MOVED_BACK').waitMs).toBe(1)
    expect(clock.left).toBe(1)
  })

  test('onOverflow and onClockBack are independent', () => {
    const overflow = scriptedClock(...[0, 0, 0, 1].map((ms) => START_MS + ms))
    expect(tiny(overflow.read, { onClockBack: 'throw' }).batch(3)).toHaveLength(3)
    const back = scriptedClock(...[1, 0, 1].map((ms) => START_MS + ms))
    expect(tiny(back.read, { onOverflow: 'throw' }).batch(2)).toHaveLength(2)
  })

  test('a clock that fails rejects the waiting call with its error', async () => {
    const clock = wallClock()
    const generator = tiny(clock.read)
    generator.batch(2)
    const waiting = generator.generateAsync()
    expect(await isPendingAfter(waiting, 2)).toBe(true)
    clock.nowMs = Number.NaN
    await expect(settled(waiting)).rejects.toMatchObject({ code: 'INVALID_TIME' })
  })
})

describe('flake: identity', () => {
  test('id is datacenter * 32 + worker, and datacenter is 0 if it is left out', () => {
    for (const [identity, id, datacenter, worker] of [
      [{ id: 1023 }, 1023, 31, 31],
      [{ id: 33 }, 33, 1, 1],
      [{ worker: 31 }, 31, 0, 31],
      [{ datacenter: 31, worker: 0 }, 992, 31, 0],
    ] as const satisfies readonly (readonly [FlakeIdentity, number, number, number])[]) {
      const generator = flake.generator({ ...identity, clock: () => START_MS })
      expect(generator).toMatchObject({ id, datacenter, worker })
      expect(flake.unpack(generator.generate())).toMatchObject({ datacenter, worker })
    }
  })

  test('neither id nor worker is GENERATOR_REQUIRED', () => {
    for (const options of [undefined, {}, { datacenter: 3 }, { id: undefined }, { worker: undefined }]) {
      const error = expectRefusal(() => flake.generator(options as never), 'GENERATOR_REQUIRED')
      expect(error).toMatchObject({ family: 'flake', field: 'worker' })
      expect(error.message).toContain('{ datacenter, worker }')
    }
  })

  test('id together with worker or datacenter is refused', () => {
    for (const options of [
      { id: 1, worker: 1 },
      { id: 1, datacenter: 0 },
      { id: 1, datacenter: 0, worker: 1 },
    ]) {
      expect(expectRefusal(() => flake.generator(options as never), 'INVALID_OPTION')).toMatchObject({
        field: 'id',
        value: 1,
      })
    }
  })

  // More of them are in the vectors, as options of the reference.
  test.each<[Record<string, unknown>, string]>([
    [{ id: -1 }, 'id'],
    [{ id: 1.5 }, 'id'],
    [{ worker: 32 }, 'worker'],
    [{ datacenter: -1, worker: 0 }, 'datacenter'],
  ])('%o is out of range', (options, field) => {
    const facts = { family: 'flake', field, value: options[field] }
    const { message } = expectRefusal(() => flake.generator(options as never), 'FIELD_OUT_OF_RANGE', facts)
    expect(message).toContain(`${field} must be `)
    expect(message).toContain(`not ${options[field]}`)
  })
})

describe('flake: options', () => {
  test.each([
    [0, 'FIELD_OUT_OF_RANGE'],
    [4096, 'FIELD_OUT_OF_RANGE'],
    [0.5, 'FIELD_OUT_OF_RANGE'],
    [2, 'INVALID_OPTION'],
    [4094, 'INVALID_OPTION'],
  ] as const)('counterMask %d is %s', (counterMask, code) => {
    const error = expectRefusal(() => flake.generator({ id: 0, counterMask }), code)
    expect(error).toMatchObject({ field: 'counterMask', value: counterMask })
    expect(error.message).toContain(String(counterMask))
  })

  test.each(['onOverflow', 'onClockBack'] as const)("%s must be 'wait' or 'throw'", (field) => {
    for (const value of ['WAIT', '', 'ignore', true, null, 0]) {
      const error = expectRefusal(() => flake.generator({ id: 0, [field]: value } as never), 'INVALID_OPTION')
      expect(error).toMatchObject({ family: 'flake', field, value })
      expect(error.message).toContain(String(value))
    }
  })
})

test('digits are carried if ids of a millisecond pass a multiple of 10,000,000', () => {
  const generator = flake.generator({ datacenter: 24, worker: 18, clock: () => 4 })
  const ids = generator.batch(3330)
  expect(ids).toEqual(ids.map((_, counter) => String((4n << 22n) | BigInt((786 << 12) | counter))))
  expect(ids[3328]).toBe('20000000')
})
