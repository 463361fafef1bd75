import { type SnoId, type SnoOverflow, sno } from '@snoflax/core'
import { expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { scriptedClock, slow, wallClock } from './clocks.js'
import { atUnit } from './sno-time.js'
import { isPendingAfter, settled, virtualTime } from './virtual-time.js'

const NOW = 132_800_000_000
const BOUNDS = { partition: 1, sequenceMin: 1, sequenceMax: 6 }

virtualTime()

/** A generator that has used up the present unit, and what its listener is told. */
function usedUp() {
  const clock = wallClock(atUnit(NOW))
  const told: SnoOverflow[] = []
  const generator = sno.generator({
    ...BOUNDS,
    clock: clock.read,
    onOverflow: (overflow) => {
      told.push(overflow)
    },
  })
  generator.batch(6)
  return { clock, generator, told }
}

test('onOverflow is not called while numbers are left', () => {
  expect(usedUp().told).toEqual([])
})

test('a blocking call takes the first number of the next unit, or of one several units later', () => {
  for (const later of [1, 9]) {
    const { generator } = usedUp()
    const script = scriptedClock(...[0, 0, 0, later].map((unit) => atUnit(NOW + unit)))
    const told: SnoOverflow[] = []
    const next = sno.generator({
      snapshot: generator.snapshot(),
      clock: script.read,
      onOverflow: (overflow) => {
        told.push(overflow)
      },
    })
    expect(sno.unpack(next.generate())).toMatchObject({ timeMs: atUnit(NOW + later), sequence: 1 })
    expect(script.left).toBe(0)
    expect(told).toEqual([
      { count: 1, ticks: 1 },
      { count: 0, ticks: 1 },
    ])
  }
})

test('a blocking call calls onOverflow in its first millisecond, in every fourth after it, and at the end', () => {
  const { generator } = usedUp()
  const told: SnoOverflow[] = []
  const readings = [...Array.from({ length: 11 }, () => atUnit(NOW)), atUnit(NOW + 1)]
  const next = sno.generator({
    snapshot: generator.snapshot(),
    clock: slow(scriptedClock(...readings).read),
    onOverflow: (overflow) => {
      told.push(overflow)
    },
  })
  next.generate()
  expect(told).toEqual([
    { count: 1, ticks: 1 },
    { count: 1, ticks: 5 },
    { count: 1, ticks: 9 },
    { count: 0, ticks: 10 },
  ])
})

test('a clock that stands still is SEQUENCE_EXHAUSTED after 12 ms, and no number is lost', () => {
  const { clock, generator, told } = usedUp()
  const snapshot = generator.snapshot()
  let readings = 0
  const standing = slow(() => {
    readings++
    return clock.nowMs
  })
  const next = sno.generator({
    snapshot,
    clock: standing,
    onOverflow: (overflow) => {
      told.push(overflow)
    },
  })
  for (let attempt = 0; attempt < 3; attempt++) {
    readings = 0
    const error = expectRefusal(() => next.generate(), 'SEQUENCE_EXHAUSTED')
    expect(error).toMatchObject({ family: 'sno', waitMs: 4 })
    expect(error.message).toContain('all 6 ids')
    expect(readings).toBeGreaterThanOrEqual(12)
    expect(readings).toBeLessThanOrEqual(15)
    expect(told.at(-1)).toMatchObject({ count: 0 })
  }
  expect(next.snapshot()).toEqual(snapshot)
  clock.nowMs = atUnit(NOW + 1)
  expect(sno.unpack(next.generate())).toMatchObject({ timeMs: clock.nowMs, sequence: 1 })
})

test('waiting callers are counted, each gets its own id, and the last one ends the overflow', async () => {
  const { clock, generator, told } = usedUp()
  const waiting = Promise.all([10, 20, 30, 40, 50, 60, 70, 80].map((meta) => generator.generateAsync(meta)))
  expect(told).toEqual([])
  expect(await isPendingAfter(waiting, 10)).toBe(true)
  expect(told).toEqual([
    { count: 8, ticks: 1 },
    { count: 8, ticks: 5 },
    { count: 8, ticks: 9 },
  ])
  clock.nowMs = atUnit(NOW + 1)
  expect(await isPendingAfter(waiting, 3)).toBe(true)
  expect(told.filter(({ count }) => count === 2)).not.toHaveLength(0)
  expect(told.filter(({ count }) => count === 0)).toHaveLength(0)
  clock.nowMs = atUnit(NOW + 2)
  const ids: readonly SnoId[] = await settled(waiting)
  expect(ids.map((id) => sno.meta(id))).toEqual([10, 20, 30, 40, 50, 60, 70, 80])
  const places = ids.map((id) => [sno.unpack(id).timeMs, sno.unpack(id).sequence])
  expect(new Set(places.map(String)).size).toBe(8)
  expect(places.filter(([timeMs]) => timeMs === atUnit(NOW + 1))).toHaveLength(6)
  expect(places.filter(([timeMs]) => timeMs === atUnit(NOW + 2))).toHaveLength(2)
  expect(told.at(-1)).toMatchObject({ count: 0 })
  expect(told.filter(({ count }) => count === 0)).toHaveLength(1)
})

test('the next overflow counts from the start', async () => {
  const { clock, generator, told } = usedUp()
  const first = generator.generateAsync()
  expect(await isPendingAfter(first, 2)).toBe(true)
  clock.nowMs = atUnit(NOW + 1)
  await settled(first)
  generator.batch(5)
  told.length = 0
  const second = generator.generateAsync()
  expect(await isPendingAfter(second, 2)).toBe(true)
  expect(told).toEqual([{ count: 1, ticks: 1 }])
  clock.nowMs = atUnit(NOW + 2)
  await settled(second)
})

test('callers that wait for a clock that moved back are not an overflow', async () => {
  const { clock, generator, told } = usedUp()
  clock.nowMs = atUnit(NOW - 10)
  generator.generate()
  clock.nowMs = atUnit(NOW - 20)
  const waiting = generator.generateAsync()
  expect(await isPendingAfter(waiting, 30)).toBe(true)
  clock.nowMs = atUnit(NOW - 10)
  await settled(waiting)
  expect(told).toEqual([])
})

test('an error of the clock rejects the waiting call, which is no longer counted', async () => {
  const { clock, generator, told } = usedUp()
  const waiting = generator.generateAsync()
  expect(await isPendingAfter(waiting, 2)).toBe(true)
  clock.nowMs = sno.lastMs + 4
  await expect(settled(waiting)).rejects.toMatchObject({ code: 'TIME_OUT_OF_RANGE' })
  expect(told.at(-1)).toMatchObject({ count: 0 })
})

test('a listener that throws rejects the call with its error, and the next overflow counts from the start', async () => {
  const clock = wallClock(atUnit(NOW))
  const told: SnoOverflow[] = []
  let isBroken = true
  const generator = sno.generator({
    ...BOUNDS,
    clock: clock.read,
    onOverflow: (overflow) => {
      told.push(overflow)
      if (isBroken && overflow.count === 0) throw new Error('the listener failed')
    },
  })
  for (const unit of [0, 1]) {
    clock.nowMs = atUnit(NOW + 2 * unit)
    generator.batch(6)
    told.length = 0
    const waiting = generator.generateAsync()
    expect(await isPendingAfter(waiting, 2)).toBe(true)
    clock.nowMs = atUnit(NOW + 2 * unit + 1)
    await expect(settled(waiting)).rejects.toThrow('the listener failed')
    expect(told).toEqual([
      { count: 1, ticks: 1 },
      { count: 0, ticks: expect.any(Number) },
    ])
    expect(told.at(-1)?.ticks).toBeLessThan(5)
  }
  isBroken = false
  // The number of the call that failed is spent.
  expect(sno.unpack(generator.generate())).toMatchObject({ timeMs: clock.nowMs, sequence: 2 })
})
