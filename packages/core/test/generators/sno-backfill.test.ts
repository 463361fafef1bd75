import { IdError, type SnoId, sno } from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { scriptedClock, slow, wallClock } from './clocks.js'
import { atUnit } from './sno-time.js'
import { virtualTime } from './virtual-time.js'

const NOW = 132_800_000_000

virtualTime()

const sequencesOf = (ids: readonly SnoId[]): number[] => ids.map((id) => sno.unpack(id).sequence)

describe('generateAt', () => {
  test('has the unit of the time passed, with tick-tock 0, and reads no clock', () => {
    const generator = sno.generator({ partition: 9, meta: 3, clock: scriptedClock().read })
    for (const moment of [atUnit(NOW), atUnit(NOW) + 3.999, new Date(atUnit(NOW))]) {
      expect(sno.unpack(generator.generateAt(moment))).toMatchObject({
        timeMs: atUnit(NOW),
        tickTock: 0,
        meta: 3,
        partition: 9,
      })
    }
    expect(sno.meta(generator.generateAt(atUnit(NOW), 77))).toBe(77)
  })

  test('counts in each unit in the order of the calls, from the start of its shard', () => {
    const generator = sno.generator({ partition: 9 })
    const moments = [0, 0, 5, 0, 1, 5].map((unit) => generator.generateAt(atUnit(NOW + unit)))
    expect(sequencesOf(moments)).toEqual([61_440, 61_441, 61_440, 61_442, 61_440, 61_441])
  })

  test('is exhausted in a unit after 4096 ids, but not in another', () => {
    const generator = sno.generator({ partition: 9 })
    const ids = Array.from({ length: 4096 }, () => generator.generateAt(atUnit(NOW)))
    expect(sequencesOf(ids)).toEqual(Array.from({ length: 4096 }, (_, i) => 61_440 + i))
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = expectRefusal(() => generator.generateAt(atUnit(NOW)), 'SEQUENCE_EXHAUSTED')
      expect(error.message).toContain('4096')
    }
    expect(sequencesOf([generator.generateAt(atUnit(NOW + 1))])).toEqual([61_440])
  })

  test('takes a shard below or above the bounds, its ends in either order', () => {
    for (const [live, backfill] of [
      [
        { sequenceMin: 0, sequenceMax: 9 },
        { sequenceMin: 15, sequenceMax: 10 },
      ],
      [
        { sequenceMin: 16, sequenceMax: 25 },
        { sequenceMin: 10, sequenceMax: 15 },
      ],
    ] as const) {
      const generator = sno.generator({ partition: 9, ...live, backfill })
      const ids = Array.from({ length: 6 }, () => generator.generateAt(atUnit(NOW)))
      expect(sequencesOf(ids)).toEqual([10, 11, 12, 13, 14, 15])
      expectRefusal(() => generator.generateAt(atUnit(NOW)), 'SEQUENCE_EXHAUSTED')
    }
  })

  test('is refused if bounds without a shard leave no numbers for it', () => {
    const generator = sno.generator({ partition: 9, sequenceMin: 0, sequenceMax: 100 })
    const error = expectRefusal(() => generator.generateAt(atUnit(NOW)), 'INVALID_OPTION')
    expect(error.field).toBe('backfill')
    expect(error.message).toContain('with backfill: { sequenceMin: 101, sequenceMax: 65535 }, for example')
    const upper = sno.generator({ partition: 9, sequenceMin: 101, sequenceMax: 65_535 })
    const { message } = expectRefusal(() => upper.generateAt(atUnit(NOW)), 'INVALID_OPTION')
    expect(message).toContain('with backfill: { sequenceMin: 0, sequenceMax: 100 }, for example')
    const all = sno.generator({ partition: 9, sequenceMin: 0, sequenceMax: 65_535 })
    expect(expectRefusal(() => all.generateAt(atUnit(NOW)), 'INVALID_OPTION').message).toContain(
      'with sequenceMax: 32767, backfill: { sequenceMin: 32768, sequenceMax: 65535 }, for example',
    )
    const inner = sno.generator({ partition: 9, sequenceMin: 5, sequenceMax: 61_439 })
    expectRefusal(() => inner.generateAt(atUnit(NOW)), 'INVALID_OPTION')
  })

  test('has the default shard after a snapshot with default bounds, and none after other bounds', () => {
    const snapshot = sno.generator({ partition: 9 }).snapshot()
    expect(sequencesOf([sno.generator({ snapshot }).generateAt(atUnit(NOW))])).toEqual([61_440])
    const narrow = sno.generator({ partition: 9, sequenceMin: 0, sequenceMax: 9 }).snapshot()
    expectRefusal(() => sno.generator({ snapshot: narrow }).generateAt(atUnit(NOW)), 'INVALID_OPTION')
    const backfill = { sequenceMin: 10, sequenceMax: 19 }
    expect(sequencesOf([sno.generator({ snapshot: narrow, backfill }).generateAt(atUnit(NOW))])).toEqual([10])
  })

  test('refuses times out of range, and what is not a time', () => {
    const generator = sno.generator({ partition: 9 })
    expect(sno.timeMs(generator.generateAt(sno.firstMs))).toBe(sno.firstMs)
    expect(sno.timeMs(generator.generateAt(sno.lastMs + 3.5))).toBe(sno.lastMs)
    for (const moment of [sno.firstMs - 0.5, sno.lastMs + 4, 0, Number.POSITIVE_INFINITY]) {
      expect(expectRefusal(() => generator.generateAt(moment), 'TIME_OUT_OF_RANGE').field).toBe('time')
    }
    for (const moment of [Number.NaN, new Date(Number.NaN)]) {
      expect(expectRefusal(() => generator.generateAt(moment), 'INVALID_TIME').value).toBe(moment)
    }
    expectRefusal(() => generator.generateAt('2026-11-01' as never), 'INVALID_TYPE')
  })

  test('a restored generator repeats no id, and continues in the unit of the last call', () => {
    const first = sno.generator({ partition: 9 })
    const units = [0, 7, 3, 3]
    const before = units.map((unit) => first.generateAt(atUnit(NOW + unit)))
    const snapshot = JSON.parse(JSON.stringify(first.snapshot()))
    const shard = { sequenceMin: 61_440, sequenceMax: 65_535 }
    expect(snapshot.backfill).toEqual({ ...shard, from: NOW, to: NOW + 7, last: NOW + 3, count: 2 })
    const second = sno.generator({ snapshot })
    expect(sequencesOf([second.generateAt(atUnit(NOW + 3))])).toEqual([61_442])
    for (const unit of [0, 5, 7]) {
      expectRefusal(() => second.generateAt(atUnit(NOW + unit)), 'SEQUENCE_EXHAUSTED')
    }
    expect(sequencesOf([-1, 8].map((unit) => second.generateAt(atUnit(NOW + unit))))).toEqual([
      61_440, 61_440,
    ])
    expect(new Set(before).size).toBe(4)
    for (const backfill of [
      { ...snapshot.backfill, from: NOW + 9 },
      { ...snapshot.backfill, count: 0 },
    ]) {
      expectRefusal(() => sno.generator({ snapshot: { ...snapshot, backfill } }), 'FIELD_OUT_OF_RANGE')
    }
  })

  test('a restored generator keeps the shard, used or not', () => {
    const shard = { sequenceMin: 110, sequenceMax: 200 }
    const first = sno.generator({ partition: 9, sequenceMin: 0, sequenceMax: 99, backfill: shard })
    first.generateAt(atUnit(NOW))
    const unused = sno.generator({ snapshot: first.snapshot() })
    const snapshot = unused.snapshot()
    expect(sequencesOf([sno.generator({ snapshot }).generateAt(atUnit(NOW))])).toEqual([111])
    expect(sequencesOf([sno.generator({ snapshot, backfill: shard }).generateAt(atUnit(NOW))])).toEqual([111])
    const apart = sno.generator({ snapshot, backfill: { sequenceMin: 201, sequenceMax: 210 } })
    expect(sequencesOf([apart.generateAt(atUnit(NOW))])).toEqual([202])
    for (const sequenceMin of [105, 111]) {
      const backfill = { sequenceMin, sequenceMax: sequenceMin + 20 }
      expectRefusal(() => sno.generator({ snapshot, backfill }), 'INVALID_OPTION')
    }
  })

  test('ascending times take no more memory than the latest units need', () => {
    const generator = sno.generator({ partition: 9 })
    const ids = Array.from({ length: 300_000 }, (_, unit) => generator.generateAt(atUnit(NOW + unit)))
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] as SnoId))).toBe(true)
    // Those of the last units go on counting, those long ago are refused rather than repeated.
    expect(sequencesOf([generator.generateAt(atUnit(NOW + 299_000))])).toEqual([61_441])
    const error = expectRefusal(() => generator.generateAt(atUnit(NOW + 5)), 'SEQUENCE_EXHAUSTED')
    expect(error.message).toContain('no longer knows')
    expect(sequencesOf([generator.generateAt(atUnit(NOW - 1))])).toEqual([61_440])
  })

  test('does not change the state of generate', () => {
    const clock = wallClock(atUnit(NOW))
    const generator = sno.generator({ partition: 9, clock: clock.read })
    generator.batch(3)
    const before = generator.snapshot()
    for (const unit of [0, -5, 5]) generator.generateAt(atUnit(NOW + unit))
    const { backfill, ...live } = generator.snapshot()
    expect(live).toEqual(before)
    expect(backfill).toMatchObject({ from: NOW - 5, to: NOW + 5, last: NOW + 5, count: 1 })
    expect(sequencesOf([generator.generate()])).toEqual([3])
  })

  test('never repeats an id of generate on the same partition, whatever the clock does', () => {
    const shards = fc.constantFrom(
      {},
      { sequenceMin: 0, sequenceMax: 7, backfill: { sequenceMin: 8, sequenceMax: 15 } },
      { sequenceMin: 15, sequenceMax: 8, backfill: { sequenceMin: 7, sequenceMax: 0 } },
    )
    const step = fc.record({ unit: fc.integer({ min: -4, max: 4 }), isLive: fc.boolean(), meta: fc.nat(1) })
    fc.assert(
      fc.property(shards, fc.array(step, { maxLength: 120 }), (shard, steps) => {
        const clock = wallClock()
        const generator = sno.generator({ partition: 9, ...shard, clock: slow(clock.read, 5) })
        const seen = new Set<SnoId>()
        for (const { unit, isLive, meta } of steps) {
          clock.nowMs = atUnit(NOW + unit)
          let id: SnoId
          try {
            id = isLive ? generator.generate(meta) : generator.generateAt(clock.nowMs, meta)
          } catch (error) {
            if (!(error instanceof IdError)) throw error
            expect(['CLOCK_MOVED_BACK', 'SEQUENCE_EXHAUSTED']).toContain(error.code)
            continue
          }
          expect(sno.timeMs(id)).toBe(clock.nowMs)
          // The metabyte is the caller's: ids are apart without it.
          const bare = sno.withMeta(id, 0)
          expect(seen).not.toContain(bare)
          seen.add(bare)
        }
      }),
      { numRuns: 400 },
    )
  })
})
