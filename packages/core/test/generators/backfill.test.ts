import { type BackfillSnapshot, flake, IdError, type SequenceBounds } from '@snoflax/core'
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

/** sno's own tests are in sno-backfill.test.ts. */
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

  test('ascending times keep the counters of the latest ones only', () => {
    const generator = make({ backfill: shard })
    const last = 66_000
    for (let unit = 0; unit <= last; unit++) {
      generator.generateAt(START_MS + unit * 2)
      // Equal times are ascending, too.
      if (unit === 5) generator.generateAt(START_MS + unit * 2)
    }
    expect(numberOf(generator.generateAt(START_MS + last * 2))).toBe(shard.sequenceMin + 1)
    // Counters are forgotten by halves, the older one first.
    expect(numberOf(generator.generateAt(START_MS + 50_000 * 2))).toBe(shard.sequenceMin + 1)
    const error = expectRefusal(() => generator.generateAt(START_MS), 'SEQUENCE_EXHAUSTED')
    expect(error.message).toContain('no longer knows')
    expect(numberOf(generator.generateAt(START_MS - 10))).toBe(shard.sequenceMin)
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

// The same for all families, and takes a second: too long to run with each mutant.
test.skipIf(process.env['SNOFLAX_MUTATE_JOURNAL'])(
  'times in any order keep the counters of the last million units, those in use the longest',
  () => {
    const shard = { sequenceMin: 2048, sequenceMax: 4095 }
    const generator = flake.generator({ id: 7, counterMask: 2047, backfill: shard })
    const at = (unit: number) =>
      flake.unpack(generator.generateAt(START_MS + unit)).counter - shard.sequenceMin
    const often = 2_000_000
    at(often)
    for (let unit = 0; unit < 100_000; unit++) generator.generateAt(START_MS + unit)
    expect([at(0), at(99_999), at(often)]).toEqual([1, 1, 1])
    for (let unit = 100_000; unit < 2 ** 20 - 1; unit++) generator.generateAt(START_MS + unit)
    expect(at(often)).toBe(2)
    expect([at(2 ** 20 - 1), at(often), at(2 ** 20 - 2)]).toEqual([0, 3, 1])
    expectRefusal(() => at(1), 'SEQUENCE_EXHAUSTED')
  },
)

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
