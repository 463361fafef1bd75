import { type SnoId, sno } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { START_MS, scriptedClock, slow, wallClock } from './clocks.js'
import { atUnit } from './sno-time.js'
import { isPendingAfter, settled, virtualTime } from './virtual-time.js'

const NOW = 132_800_000_000
const HOUR = 900_000

virtualTime()

/** Unit, tick-tock and sequence of an id, which is all that a generator decides. */
const place = (id: SnoId): readonly [number, number, number] => {
  const { timeMs, tickTock, sequence } = sno.unpack(id)
  return [(timeMs - sno.layout.epochMs) / 4 - NOW, tickTock, sequence]
}

function settable(options: { sequenceMin?: number; sequenceMax?: number } = {}) {
  const clock = wallClock(atUnit(NOW))
  const generator = sno.generator({ partition: 0x1234, ...options, clock: clock.read })
  /** Places of ids made at these units from now. */
  const at = (...units: readonly number[]) =>
    units.map((unit) => {
      clock.nowMs = atUnit(NOW + unit)
      return place(generator.generate())
    })
  return { clock, generator, at }
}

describe('sno: one id', () => {
  test("has the partition, the metabyte, and the unit of the clock's time", () => {
    const clock = scriptedClock(atUnit(NOW) + 3.99, atUnit(NOW) + 4, atUnit(NOW) + 4)
    const generator = sno.generator({ partition: 0xfedc, meta: 200, clock: clock.read })
    expect(sno.unpack(generator.generate())).toEqual({
      timeMs: atUnit(NOW),
      tickTock: 0,
      meta: 200,
      partition: 0xfedc,
      sequence: 0,
    })
    expect(sno.unpack(generator.generate(7))).toMatchObject({ timeMs: atUnit(NOW + 1), meta: 7, sequence: 0 })
    expect(sno.meta(generator.generate())).toBe(200)
  })

  test('uses no number if the metabyte is refused', async () => {
    const { generator } = settable()
    for (const meta of [-1, 256, 0.5]) {
      expectRefusal(() => generator.generate(meta), 'FIELD_OUT_OF_RANGE')
      await expect(generator.generateAsync(meta)).rejects.toMatchObject({ field: 'meta', value: meta })
    }
    expect(place(generator.generate())).toEqual([0, 0, 0])
  })
})

describe('sno: tick-tock', () => {
  test('a clock that moved back toggles the bit and does not make the call wait', () => {
    const { at } = settable()
    expect(at(0, 0, -HOUR, -HOUR, -HOUR + 1)).toEqual([
      [0, 0, 0],
      [0, 0, 1],
      [-HOUR, 1, 0],
      [-HOUR, 1, 1],
      [-HOUR + 1, 1, 0],
    ])
  })

  test('a second move back to or below the safe mark is refused at once, with the time to wait', () => {
    const { at, clock, generator } = settable()
    at(0, -HOUR)
    for (const [unit, units] of [
      [-HOUR - 4, 4],
      [-2 * HOUR, HOUR],
    ] as const) {
      clock.nowMs = atUnit(NOW + unit)
      const before = generator.snapshot()
      expect(expectRefusal(() => generator.generate(), 'CLOCK_MOVED_BACK')).toMatchObject({
        waitMs: units * 4,
      })
      expect(generator.snapshot()).toEqual(before)
    }
  })

  test('the same call succeeds after the stated time', () => {
    for (const behind of [4, 5, 1000, HOUR]) {
      const { at, clock, generator } = settable()
      at(0, -2 * HOUR, -HOUR)
      clock.nowMs = atUnit(NOW - HOUR - behind)
      const { waitMs } = expectRefusal(() => generator.generate(), 'CLOCK_MOVED_BACK')
      clock.nowMs += (waitMs as number) - 4 * 4
      expectRefusal(() => generator.generate(), 'CLOCK_MOVED_BACK')
      clock.nowMs += 4 * 4
      expect(place(generator.generate())).toEqual([-HOUR, 1, 1])
    }
  })

  test('blocks while the clock is up to three units behind', () => {
    const { at, clock, generator } = settable()
    at(0, -10)
    const script = scriptedClock(...[-13, -12, -11, -10].map((unit) => atUnit(NOW + unit)))
    const restored = sno.generator({ snapshot: generator.snapshot(), clock: script.read })
    expect(place(restored.generate())).toEqual([-10, 1, 1])
    expect(script.left).toBe(0)
    expect(clock.nowMs).toBe(atUnit(NOW - 10))
  })

  test('refuses after 12 ms of blocking if the clock stays behind', () => {
    const { at, generator } = settable()
    at(0, -10)
    let readings = 0
    const standing = slow(() => {
      readings++
      return atUnit(NOW - 12)
    })
    const restored = sno.generator({ snapshot: generator.snapshot(), clock: standing })
    readings = 0
    expect(expectRefusal(() => restored.generate(), 'CLOCK_MOVED_BACK')).toMatchObject({ waitMs: 8 })
    expect(readings).toBeGreaterThanOrEqual(12)
    expect(readings).toBeLessThanOrEqual(15)
  })

  test('generateAsync waits for as long as it takes', async () => {
    const { at, clock, generator } = settable()
    at(0, -HOUR)
    clock.nowMs = atUnit(NOW - 2 * HOUR)
    const waiting = generator.generateAsync(9)
    expect(await isPendingAfter(waiting, 1000)).toBe(true)
    clock.nowMs = atUnit(NOW - HOUR)
    const id = await settled(waiting)
    expect(place(id)).toEqual([-HOUR, 1, 1])
    expect(sno.meta(id)).toBe(9)
  })
})

describe('sno: sequence bounds', () => {
  test('bounds can be passed in either order', () => {
    const { generator, at } = settable({ sequenceMin: 205, sequenceMax: 200 })
    expect(generator).toMatchObject({ sequenceMin: 200, sequenceMax: 205, capacity: 6 })
    expect(at(0, 0, 0, 0, 0, 0).map(([, , sequence]) => sequence)).toEqual([200, 201, 202, 203, 204, 205])
  })

  test('one bound alone extends to the end of the numbers', () => {
    expect(settable({ sequenceMin: 65_530 }).generator).toMatchObject({ sequenceMax: 65_535, capacity: 6 })
    expect(settable({ sequenceMax: 5 }).generator).toMatchObject({ sequenceMin: 0, capacity: 6 })
    expect(settable().generator).toMatchObject({ sequenceMin: 0, sequenceMax: 61_439, capacity: 61_440 })
  })

  test('all 65,536 numbers of a unit can be used', () => {
    const { generator } = settable({ sequenceMin: 0, sequenceMax: 65_535 })
    const sequences = generator.batch(65_536).map((id) => place(id)[2])
    expect(sequences).toEqual(Array.from({ length: 65_536 }, (_, i) => i))
    expect(generator.length).toBe(65_536)
  })
})

test('generators without a partition each get their own, and so does the family', () => {
  const generators = Array.from({ length: 1000 }, () => sno.generator())
  const partitions = new Set(generators.map(({ partition }) => partition))
  expect(partitions.size).toBe(1000)
  const ids = Array.from({ length: 100 }, () => sno.generate())
  const [own] = ids.map((id) => sno.unpack(id).partition)
  expect(partitions).not.toContain(own)
  expect(new Set(ids.map((id) => sno.unpack(id).partition)).size).toBe(1)
})

test('sno.generate and sno.generateAt take a metabyte, and never repeat an id', () => {
  expect(sno.meta(sno.generate(200))).toBe(200)
  expect(sno.meta(sno.generate())).toBe(0)
  expect(sno.meta(sno.generateAt(START_MS, 9))).toBe(9)
  const ids: SnoId[] = []
  for (let i = 0; i < 1000; i++) {
    const id = sno.generate()
    ids.push(id, sno.generateAt(sno.time(id)))
  }
  expect(new Set(ids).size).toBe(2000)
  expectRefusal(() => sno.generate(256), 'FIELD_OUT_OF_RANGE')
  expectRefusal(() => sno.generateAt(Number.NaN), 'INVALID_TIME')
})

test('partitions are 0 to 65535', () => {
  for (const partition of [0, 255, 256, 65_535]) {
    const generator = sno.generator({ partition })
    expect(generator.partition).toBe(partition)
    expect(sno.unpack(generator.generate()).partition).toBe(partition)
  }
})

test.each<[Record<string, unknown>, string]>([
  [{ partition: -1 }, 'partition'],
  [{ partition: 65_536 }, 'partition'],
  [{ partition: 0.5 }, 'partition'],
  [{ partition: Number.NaN }, 'partition'],
  [{ sequenceMin: -1 }, 'sequenceMin'],
  [{ sequenceMin: 65_536 }, 'sequenceMin'],
  [{ sequenceMax: 65_536 }, 'sequenceMax'],
  [{ sequenceMax: 1.5 }, 'sequenceMax'],
  [{ meta: 256 }, 'meta'],
  [{ meta: -1 }, 'meta'],
])('%o is out of range', (options, field) => {
  const error = expectRefusal(() => sno.generator(options), 'FIELD_OUT_OF_RANGE')
  expect(error).toMatchObject({ family: 'sno', field, value: options[field] })
  expect(error.message).toContain(field)
  expect(error.message).toContain(String(options[field]))
})

test.each([
  { partition: '7' },
  { partition: null },
  { sequenceMin: '0' },
  { meta: '1' },
  { backfill: { sequenceMin: 0 } },
])('%o has the wrong type', (options) => {
  expectRefusal(() => sno.generator({ sequenceMax: 9, ...options } as never), 'INVALID_TYPE')
})

test.each([
  [{ sequenceMin: 0, sequenceMax: 4 }, 4],
  [{ sequenceMin: 4, sequenceMax: 0 }, 4],
  [{ sequenceMin: 7, sequenceMax: 7 }, 7],
  [{ sequenceMin: 65_531 }, 65_535],
  [{ sequenceMax: 4 }, 4],
])('the bounds %o are refused: they contain fewer than six numbers', (bounds, value) => {
  const error = expectRefusal(() => sno.generator({ partition: 1, ...bounds }), 'INVALID_OPTION')
  expect(error).toMatchObject({ family: 'sno', field: 'sequenceMax', value })
  expect(error.message).toContain('at least 6')
})

test.each([
  [{}, { sequenceMin: 61_439, sequenceMax: 65_535 }],
  [
    { sequenceMin: 10, sequenceMax: 20 },
    { sequenceMin: 20, sequenceMax: 30 },
  ],
  [
    { sequenceMin: 10, sequenceMax: 20 },
    { sequenceMin: 10, sequenceMax: 0 },
  ],
  [
    { sequenceMin: 10, sequenceMax: 20 },
    { sequenceMin: 12, sequenceMax: 18 },
  ],
  [
    { sequenceMin: 10, sequenceMax: 20 },
    { sequenceMin: 0, sequenceMax: 65_535 },
  ],
])('with the bounds %o, the overlapping backfill shard %o is refused', (bounds, backfill) => {
  const error = expectRefusal(() => sno.generator({ partition: 1, ...bounds, backfill }), 'INVALID_OPTION')
  expect(error).toMatchObject({ family: 'sno', field: 'backfill' })
  expect(error.message).toContain('overlaps')
})

test('a backfill shard may contain a single number', () => {
  const backfill = { sequenceMin: 61_440, sequenceMax: 61_440 }
  const generator = sno.generator({ partition: 1, backfill })
  expect(sno.unpack(generator.generateAt(sno.firstMs)).sequence).toBe(61_440)
  expectRefusal(() => generator.generateAt(sno.firstMs), 'SEQUENCE_EXHAUSTED')
})
