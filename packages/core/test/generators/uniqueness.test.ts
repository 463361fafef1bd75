import {
  type FlaxId,
  flake,
  flax,
  IdError,
  type IdFamily,
  type IdGenerator,
  type SnoId,
  sno,
} from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clockScript, clockStep } from './clock-scripts.js'
import { slow, wallClock } from './clocks.js'
import { constant, counting } from './random-sources.js'
import { virtualTime } from './virtual-time.js'

virtualTime()

/** The refusals that a clock may lead to. Anything else fails the test. */
function unlessRefused<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    if (
      error instanceof IdError &&
      (error.code === 'CLOCK_MOVED_BACK' || error.code === 'SEQUENCE_EXHAUSTED')
    ) {
      return undefined
    }
    throw error
  }
}

interface Candidate<AnId extends string> {
  readonly name: string
  readonly make: (clock: () => number) => IdGenerator<AnId>
  /** Whether each id is promised to be larger than the one before. */
  readonly increases: boolean
}

const candidates: readonly Candidate<string>[] = [
  { name: 'flax', make: (clock) => flax.generator({ clock }), increases: false },
  {
    name: 'flax, monotonic, without randomness',
    make: (clock) => flax.generator({ clock, monotonic: true, random: constant(0) }),
    increases: true,
  },
  {
    name: 'flax, monotonic, always running over',
    make: (clock) => flax.generator({ clock, monotonic: true, random: constant(0xff) }),
    increases: true,
  },
  {
    name: 'flax, monotonic, counting',
    make: (clock) => flax.generator({ clock, monotonic: true, random: counting() }),
    increases: true,
  },
  {
    name: 'sno, six numbers',
    make: (clock) => sno.generator({ partition: 1, sequenceMin: 6, sequenceMax: 1, clock }),
    increases: false,
  },
  {
    name: 'flake, two a millisecond, throwing',
    make: (clock) =>
      flake.generator({ id: 1, counterMask: 1, onOverflow: 'throw', onClockBack: 'throw', clock }),
    increases: true,
  },
  {
    name: 'flake, two a millisecond',
    make: (clock) => flake.generator({ id: 1, counterMask: 1, clock }),
    increases: true,
  },
  { name: 'uid', make: (clock) => uid.generator({ node: 'a@h', clock }), increases: true },
  { name: 'uidLocal', make: (clock) => uidLocal.generator({ clock }), increases: true },
]

test.each(candidates)('$name: no id repeats, whatever the clock does', ({ make, increases }) => {
  fc.assert(
    fc.property(clockScript, (script) => {
      const clock = wallClock()
      const generator = make(slow(clock.read, 6))
      const family = generator.family as IdFamily
      const ids: string[] = []
      for (const { stepMs, count } of script) {
        clock.nowMs += stepMs
        for (let i = 0; i < count; i++) {
          const id = unlessRefused(() => generator.generate())
          if (id !== undefined) ids.push(id)
        }
      }
      expect(new Set(ids).size).toBe(ids.length)
      for (const [i, id] of ids.entries()) {
        expect(family.pack(family.unpack(id as never))).toBe(id)
        if (increases && i > 0) expect(family.compare(ids[i - 1] as never, id as never)).toBeLessThan(0)
      }
    }),
    { numRuns: 200 },
  )
})

test('plain flax always has the time of the clock', () => {
  fc.assert(
    fc.property(fc.array(clockStep), (steps) => {
      const clock = wallClock()
      const generator = flax.generator({ clock: clock.read })
      for (const stepMs of steps) {
        clock.nowMs += stepMs
        expect(flax.timeMs(generator.generate())).toBe(clock.nowMs)
      }
    }),
  )
})

test('monotonic flax is never behind its clock, and ahead of it only if it must be', () => {
  fc.assert(
    fc.property(fc.array(clockStep), (steps) => {
      const clock = wallClock()
      const generator = flax.generator({ clock: clock.read, monotonic: true, random: constant(0) })
      let latestMs = 0
      for (const stepMs of steps) {
        clock.nowMs += stepMs
        latestMs = Math.max(latestMs, clock.nowMs)
        expect(flax.timeMs(generator.generate() as FlaxId)).toBe(latestMs)
      }
    }),
  )
})

test('sno ascends, for equal metabytes, as long as the clock does not move back', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 200 }), (steps) => {
      const clock = wallClock()
      const generator = sno.generator({
        partition: 1,
        sequenceMin: 0,
        sequenceMax: 5,
        clock: slow(clock.read, 6),
      })
      let previous: SnoId | undefined
      for (const stepMs of steps) {
        clock.nowMs += stepMs
        const id = unlessRefused(() => generator.generate())
        if (id !== undefined && previous !== undefined) expect(sno.compare(previous, id)).toBeLessThan(0)
        previous = id ?? previous
      }
    }),
  )
})
