import { flake, type IdGenerator, sno } from '@snoflax/core'
import { uid } from '@snoflax/families'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { expectRefusal } from '../refusal.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** As users freeze time in their own tests: wall clock, monotonic clock and timers at once. */
test.each<[string, () => IdGenerator<string>, number]>([
  ['sno', () => sno.generator({ partition: 1, sequenceMin: 0, sequenceMax: 5 }), 6],
  ['flake', () => flake.generator({ id: 1, counterMask: 1 }), 2],
  ['uid', () => uid.generator({ node: 'a@h' }), 16_384],
])('%s: a blocking wait ends even if all clocks are faked', (_, make, capacity) => {
  const generator = make()
  expect(new Set(generator.batch(capacity)).size).toBe(capacity)
  expectRefusal(() => generator.generate(), 'SEQUENCE_EXHAUSTED')
  vi.advanceTimersByTime(4)
  expect(generator.generate()).toBeTypeOf('string')
})
