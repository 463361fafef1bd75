import { type BackfillSnapshot, flake, IdError, type SequenceBounds, type SnoId, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { START_MS, scriptedClock, slow, wallClock } from './clocks.js'
import { virtualTime } from './virtual-time.js'

virtualTime()

interface Options {
  readonly backfill?: SequenceBounds
  readonly snapshot?: BackfillSnapshot
  readonly clock?: () => number
}

/** sno besides has a default shard, and the state in its snapshot. */
const families = [
  {
    name: 'flake',
    shard: { sequenceMin: 2048, sequenceMax: 4095 },
    family: flake,
    make: (options: Options) =>
      flake.generator({ id: 7, ...(options.backfill && { counterMask: 2047 }), ...options }),
    numberOf: (id: string) => flake.unpack(flake.parse(id)).counter,
    unitMs: 1,
    unitOf: (timeMs: number) => timeMs,
  },
  {
    name: 'uid',
    shard: { sequenceMin: 12_288, sequenceMax: 16_383 },
    family: uid,
    make: (options: Options) => uid.generator({ node: 'a@h', ...options }),
    numberOf: (id: string) => uid.unpack(uid.parse(id)).sequence,
    unitMs: 1.024,
    unitOf: (timeMs: number) => Math.floor(timeMs / 1000) * 1024 + Math.floor((timeMs % 1000) / 1.024),
  },
  {
    name: 'uidLocal',
    shard: { sequenceMin: 12_288, sequenceMax: 16_383 },
    family: uidLocal,
    make: (options: Options) => uidLocal.generator(options),
    numberOf: (id: string) => uidLocal.unpack(uidLocal.parse(id)).sequence,
    unitMs: 1.024,
    unitOf: (timeMs: number) => Math.floor(timeMs / 1000) * 1024 + Math.floor((timeMs % 1000) / 1.024),
  },
] as const

describe.each(families)('generateAt of $name', ({ shard, family, make, numberOf, unitMs, unitOf }) => {
  test('has the time passed, counts in each unit from the start of the shard, and reads no clock', () => {
    const generator = make({ backfill: shard, clock: scriptedClock().read })
    const times = [0, 0, 5, 0, 1, 5].map((unit) => START_MS + Math.ceil(unit * unitMs))
    const ids = times.map((time) => generator.generateAt(new Date(time)))
    for (const [i, id] of ids.entries()) {
      const laterMs = (times[i] as number) - family.timeMs(id as never)
      expect(laterMs).toBeGreaterThanOrEqual(0)
      expect(laterMs).toBeLessThanOrEqual(Math.floor(unitMs))
    }
    expect(ids.map((id) => numberOf(id) - shard.sequenceMin)).toEqual([0, 1, 0, 2, 0, 1])
  })

  test('is refused without a shard, or with one that generate uses', () => {
    const error = expectRefusal(() => make({}).generateAt(START_MS), 'INVALID_OPTION')
    expect(error).toMatchObject({ family: family.name, field: 'backfill' })
    const advice = /create the generator with .*backfill: \{ sequenceMin: (\d+), sequenceMax: (\d+) \}/.exec(
      error.message,
    )
    const backfill = { sequenceMin: Number(advice?.[1]), sequenceMax: Number(advice?.[2]) }
    expect(numberOf(make({ backfill }).generateAt(START_MS))).toBe(backfill.sequenceMin)
    expect(make({}).snapshot()).toBeUndefined()
    for (const [wrong, code] of [
      [{ sequenceMin: 0, sequenceMax: 9 }, 'INVALID_OPTION'],
      [null, 'INVALID_OPTION'],
      [5, 'INVALID_OPTION'],
      [[1, 2], 'INVALID_OPTION'],
      [{ sequenceMin: 3000 }, 'INVALID_TYPE'],
      [{ sequenceMin: 0, sequenceMax: shard.sequenceMax }, 'INVALID_OPTION'],
      [{ ...shard, sequenceMin: undefined }, 'INVALID_OPTION'],
      [{ ...shard, sequencMax: 9 }, 'INVALID_OPTION'],
      [{ ...shard, sequenceMax: 2 ** 16 }, 'FIELD_OUT_OF_RANGE'],
    ] as const) {
      expectRefusal(() => make({ backfill: wrong } as never), code)
    }
  })

  test("takes the shard's bounds in either order, and throws once its numbers are used up", () => {
    const [low, high] = [shard.sequenceMax - 2, shard.sequenceMax]
    const generator = make({ backfill: { sequenceMin: high, sequenceMax: low } })
    const ids = [1, 2, 3].map(() => generator.generateAt(START_MS))
    expect(ids.map(numberOf)).toEqual([low, low + 1, high])
    expectRefusal(() => generator.generateAt(START_MS), 'SEQUENCE_EXHAUSTED')
    expect(numberOf(generator.generateAt(START_MS + 10))).toBe(low)
  })

  test('refuses times out of range, and what is not a time', () => {
    const generator = make({ backfill: shard })
    expect(family.timeMs(generator.generateAt(family.firstMs) as never)).toBe(family.firstMs)
    const lastMs = family.timeMs(generator.generateAt(family.lastMs) as never)
    expect(family.lastMs - lastMs).toBeLessThanOrEqual(Math.floor(unitMs))
    for (const moment of [family.firstMs - 1, family.lastMs + 1, Number.POSITIVE_INFINITY]) {
      expectRefusal(() => generator.generateAt(moment), 'TIME_OUT_OF_RANGE')
    }
    expectRefusal(() => generator.generateAt(Number.NaN), 'INVALID_TIME')
    expectRefusal(() => generator.generateAt('2026-11-01' as never), 'INVALID_TYPE')
  })

  test('a restored generator repeats no id, and continues in the unit of the last call', () => {
    const first = make({ backfill: shard })
    const at = (generator: typeof first, unit: number) => generator.generateAt(START_MS + unit * 10)
    const before = [0, 7, 3, 3].map((unit) => at(first, unit))
    const snapshot = JSON.parse(JSON.stringify(first.snapshot()))
    expect(snapshot).toEqual({
      ...shard,
      from: unitOf(START_MS),
      to: unitOf(START_MS + 70),
      last: unitOf(START_MS + 30),
      count: 2,
    })
    const second = make({ backfill: shard, snapshot })
    expect(second.snapshot()).toEqual(snapshot)
    const after = [3, 8, -1].map((unit) => at(second, unit))
    for (const unit of [0, 5, 7]) expectRefusal(() => at(second, unit), 'SEQUENCE_EXHAUSTED')
    expect(new Set([...before, ...after]).size).toBe(7)
    const wrong = { ...shard, sequenceMin: 2 ** 16 }
    const named = expectRefusal(
      () => make({ backfill: shard, snapshot: { ...snapshot, ...wrong } }),
      'FIELD_OUT_OF_RANGE',
    )
    expect(named.field).toBe('snapshot.sequenceMin')
    expect(expectRefusal(() => make({ backfill: wrong, snapshot }), 'FIELD_OUT_OF_RANGE').field).toBe(
      'backfill.sequenceMin',
    )
    const alone = expectRefusal(() => make({ snapshot: { ...snapshot, ...wrong } }), 'FIELD_OUT_OF_RANGE')
    expect(alone.field).toBe('snapshot.sequenceMin')
    for (const [change, code] of [
      [{ from: snapshot.to + 1 }, 'FIELD_OUT_OF_RANGE'],
      [{ last: snapshot.to + 1 }, 'FIELD_OUT_OF_RANGE'],
      [{ count: 0 }, 'FIELD_OUT_OF_RANGE'],
      [{ count: shard.sequenceMax - shard.sequenceMin + 2 }, 'FIELD_OUT_OF_RANGE'],
      [{ count: undefined }, 'INVALID_OPTION'],
      [{ wallHi: 1 }, 'INVALID_OPTION'],
      [{ sequenceMin: shard.sequenceMin + 1 }, 'INVALID_OPTION'],
    ] as const) {
      expectRefusal(() => make({ backfill: shard, snapshot: { ...snapshot, ...change } }), code)
    }
  })

  test('never repeats an id of generate, whatever the clock does', () => {
    const step = fc.record({ unit: fc.integer({ min: -4, max: 4 }), isLive: fc.boolean() })
    const high = shard.sequenceMin + 2
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = wallClock()
        const generator = make({
          backfill: { sequenceMin: shard.sequenceMin, sequenceMax: high },
          clock: slow(clock.read, 5),
        })
        const seen = new Set<string>()
        for (const { unit, isLive } of steps) {
          clock.nowMs = START_MS + unit * 2
          let id: string
          try {
            id = isLive ? generator.generate() : generator.generateAt(clock.nowMs)
          } catch (error) {
            if (!(error instanceof IdError)) throw error
            expect(['CLOCK_MOVED_BACK', 'SEQUENCE_EXHAUSTED']).toContain(error.code)
            continue
          }
          expect(seen).not.toContain(id)
          expect(numberOf(id) >= shard.sequenceMin).toBe(!isLive)
          seen.add(id)
        }
      }),
      { numRuns: 200 },
    )
  })
})

// The counters are the same for all families.
describe('memory', () => {
  const shard = { sequenceMin: 2048, sequenceMax: 4095 }
  function numbered() {
    const generator = flake.generator({ id: 7, counterMask: 2047, backfill: shard })
    return (unit: number) => flake.unpack(generator.generateAt(START_MS + unit)).counter - shard.sequenceMin
  }

  test('ascending times keep the counters of the latest ones only', () => {
    const at = numbered()
    const last = 66_000
    for (let unit = 0; unit <= last; unit++) {
      at(unit)
      // Equal times are ascending, too.
      if (unit === 5) at(unit)
    }
    expect(at(last)).toBe(1)
    // Counters are forgotten by halves, the older one first.
    expect(at(50_000)).toBe(1)
    expect(expectRefusal(() => at(0), 'SEQUENCE_EXHAUSTED').message).toContain('no longer knows')
    expect(at(-10)).toBe(0)
  })

  // Takes a second: too long to run with each mutant.
  test.skipIf(process.env['SNOFLAX_MUTATE_JOURNAL'])(
    'times in any order keep the counters of the last million units, those in use the longest',
    () => {
      const at = numbered()
      const often = 2_000_000
      at(often)
      for (let unit = 0; unit < 100_000; unit++) at(unit)
      expect([at(0), at(99_999), at(often)]).toEqual([1, 1, 1])
      for (let unit = 100_000; unit < 2 ** 20 - 1; unit++) at(unit)
      expect(at(often)).toBe(2)
      expect([at(2 ** 20 - 1), at(often), at(2 ** 20 - 2)]).toEqual([0, 3, 1])
      expectRefusal(() => at(1), 'SEQUENCE_EXHAUSTED')
    },
  )
})

describe('generateAt of sno', () => {
  const make = (options: object = {}) => sno.generator({ partition: 9, ...options })
  const at = (generator: { generateAt(time: number): SnoId }, unit: number) =>
    sno.unpack(generator.generateAt(START_MS + 4 * unit)).sequence

  test('has the unit of the time passed, with tick-tock 0, and counts from the start of its shard', () => {
    const generator = make({ meta: 3, clock: scriptedClock().read })
    for (const moment of [START_MS, START_MS + 3.999, new Date(START_MS)]) {
      const fields = { timeMs: START_MS, tickTock: 0, meta: 3, partition: 9 }
      expect(sno.unpack(generator.generateAt(moment))).toMatchObject(fields)
    }
    expect(sno.meta(generator.generateAt(START_MS, 77))).toBe(77)
    expect([5, 6, 5, 7, 6].map((unit) => at(generator, unit) - 61_440)).toEqual([0, 0, 1, 0, 1])
  })

  test('is exhausted in a unit after 4096 ids, but not in another', () => {
    const generator = make()
    const sequences = Array.from({ length: 4096 }, () => at(generator, 0))
    expect(sequences).toEqual(Array.from({ length: 4096 }, (_, i) => 61_440 + i))
    expect(expectRefusal(() => at(generator, 0), 'SEQUENCE_EXHAUSTED').message).toContain('4096')
    expect(at(generator, 1)).toBe(61_440)
  })

  test.each([
    [
      { sequenceMin: 0, sequenceMax: 9 },
      { sequenceMin: 15, sequenceMax: 10 },
    ],
    [
      { sequenceMin: 16, sequenceMax: 25 },
      { sequenceMin: 10, sequenceMax: 15 },
    ],
  ])('takes a shard below or above the bounds, its ends in either order: %#', (live, backfill) => {
    const generator = make({ ...live, backfill })
    expect([1, 2, 3, 4, 5, 6].map(() => at(generator, 0))).toEqual([10, 11, 12, 13, 14, 15])
    expectRefusal(() => at(generator, 0), 'SEQUENCE_EXHAUSTED')
  })

  test.each([
    [{ sequenceMin: 0, sequenceMax: 100 }, 'backfill: { sequenceMin: 101, sequenceMax: 65535 }'],
    [{ sequenceMin: 101, sequenceMax: 65_535 }, 'backfill: { sequenceMin: 0, sequenceMax: 100 }'],
    [
      { sequenceMin: 0, sequenceMax: 65_535 },
      'sequenceMax: 32767, backfill: { sequenceMin: 32768, sequenceMax: 65535 }',
    ],
    [{ sequenceMin: 5, sequenceMax: 61_439 }, 'backfill: { sequenceMin: 61440, sequenceMax: 65535 }'],
  ])('is refused if the bounds %o have no shard, and the error names one', (bounds, advice) => {
    const { message } = expectRefusal(() => at(make(bounds), 0), 'INVALID_OPTION', { field: 'backfill' })
    expect(message).toContain(`with ${advice}, for example`)
  })

  test('has the default shard after a snapshot with default bounds, and none after other bounds', () => {
    expect(at(sno.generator({ snapshot: make().snapshot() }), 0)).toBe(61_440)
    const snapshot = make({ sequenceMin: 0, sequenceMax: 9 }).snapshot()
    expectRefusal(() => at(sno.generator({ snapshot }), 0), 'INVALID_OPTION')
    const backfill = { sequenceMin: 10, sequenceMax: 19 }
    expect(at(sno.generator({ snapshot, backfill }), 0)).toBe(10)
  })

  test('keeps its state in the snapshot, used or not, and that of generate as it was', () => {
    const shard = { sequenceMin: 110, sequenceMax: 200 }
    const first = make({ sequenceMin: 0, sequenceMax: 99, backfill: shard, clock: () => START_MS })
    first.batch(3)
    const before = first.snapshot()
    for (const unit of [0, 7, 3, 3]) at(first, unit)
    const { backfill, ...live } = first.snapshot()
    expect(live).toEqual(before)
    const unitOf = (unit: number) => (START_MS - sno.layout.epochMs) / 4 + unit
    expect(backfill).toEqual({ ...shard, from: unitOf(0), to: unitOf(7), last: unitOf(3), count: 2 })
    const unused = sno.generator({ snapshot: JSON.parse(JSON.stringify(first.snapshot())) })
    const snapshot = unused.snapshot()
    expect([3, 8, -1].map((unit) => at(unused, unit))).toEqual([112, 110, 110])
    for (const unit of [0, 5, 7]) expectRefusal(() => at(unused, unit), 'SEQUENCE_EXHAUSTED')
    expect(at(sno.generator({ snapshot, backfill: shard }), 3)).toBe(112)
    const apart = { sequenceMin: 201, sequenceMax: 210 }
    expect(at(sno.generator({ snapshot, backfill: apart }), 3)).toBe(203)
    for (const sequenceMin of [105, 111]) {
      const overlapping = { sequenceMin, sequenceMax: sequenceMin + 20 }
      expectRefusal(() => sno.generator({ snapshot, backfill: overlapping }), 'INVALID_OPTION')
    }
    expectRefusal(
      () =>
        sno.generator({ snapshot: { ...snapshot, backfill: { ...snapshot.backfill, count: 0 } as never } }),
      'FIELD_OUT_OF_RANGE',
    )
  })
})

test('generate of uid uses the numbers below the shard, and its local generator shares its counters', () => {
  const clock = () => START_MS
  const backfill = { sequenceMin: 2, sequenceMax: 9 }
  const ids = uid.generator({ node: 'a@h', backfill, clock })
  expect(ids.batch(2).map((id) => uid.unpack(id).sequence)).toEqual([0, 1])
  expectRefusal(() => ids.generate(), 'SEQUENCE_EXHAUSTED')
  const sequences = [ids.generateAt(START_MS), uid.fromLocal(ids.local.generateAt(START_MS), { node: 'a@h' })]
  expect(sequences.map((id) => uid.unpack(id).sequence)).toEqual([2, 3])
  expect(ids.local.snapshot()).toEqual(ids.snapshot())
})
