import { type SnoId, type SnoOverflow, sno } from '@snoflax/core'
import { expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { scriptedClock, slow, wallClock } from './clocks.js'
import { atUnit } from './sno-time.js'
import { isPendingAfter, settled, virtualTime } from './virtual-time.js'

const NOW = 132_800_000_000

virtualTime()

/** A generator that has used up the present unit, on a clock that can be replaced, and what its listener is told. */
function usedUp(listener: (overflow: SnoOverflow) => void = () => {}) {
  const clock = wallClock(atUnit(NOW))
  const source = { read: clock.read }
  const told: SnoOverflow[] = []
  const generator = sno.generator({
    partition: 1,
    sequenceMin: 1,
    sequenceMax: 6,
    clock: () => source.read(),
    onOverflow: (overflow) => {
      told.push(overflow)
      listener(overflow)
    },
  })
  generator.batch(6)
  expect(told).toEqual([])
  return { clock, source, generator, told }
}

test('a blocking call calls onOverflow in its first millisecond, in every fourth after it, and at the end', () => {
  for (const [readings, ticks] of [
    [2, [1, 1]],
    [11, [1, 5, 9, 10]],
  ] as const) {
    const { source, generator, told } = usedUp()
    const units = [...Array.from({ length: readings }, () => 0), 1]
    const clock = scriptedClock(...units.map((unit) => atUnit(NOW + unit)))
    source.read = readings > 2 ? slow(clock.read) : clock.read
    expect(sno.unpack(generator.generate())).toMatchObject({ timeMs: atUnit(NOW + 1), sequence: 1 })
    const last = ticks.length - 1
    expect(told).toEqual(ticks.map((tick, i) => ({ count: i === last ? 0 : 1, ticks: tick })))
  }
})

test('a call that is refused ends the overflow, and changes no state', () => {
  const { clock, source, generator, told } = usedUp()
  const snapshot = generator.snapshot()
  source.read = slow(clock.read)
  for (let attempt = 0; attempt < 3; attempt++) {
    expectRefusal(() => generator.generate(), 'SEQUENCE_EXHAUSTED', { family: 'sno', waitMs: 4 })
    expect(told.at(-1)).toMatchObject({ count: 0 })
  }
  expect(generator.snapshot()).toEqual(snapshot)
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
  let isBroken = true
  const { clock, generator, told } = usedUp(({ count }) => {
    if (isBroken && count === 0) throw new Error('the listener failed')
  })
  for (const unit of [1, 2]) {
    told.length = 0
    const waiting = generator.generateAsync()
    expect(await isPendingAfter(waiting, 2)).toBe(true)
    clock.nowMs = atUnit(NOW + unit)
    await expect(settled(waiting)).rejects.toThrow('the listener failed')
    expect(told).toEqual([
      { count: 1, ticks: 1 },
      { count: 0, ticks: expect.any(Number) },
    ])
    expect(told.at(-1)?.ticks).toBeLessThan(5)
    // The number of the call that failed is spent.
    expect(generator.batch(5).map((id) => sno.unpack(id).sequence)).toEqual([2, 3, 4, 5, 6])
  }
  isBroken = false
})
