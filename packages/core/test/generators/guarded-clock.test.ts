import { type Clock, flake, type IdFamily, type IdGenerator, sno } from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { START_MS, wallClock } from './clocks.js'

// What leases rest on: whoever may not use a time has a clock that does not tell it.

const OUTSIDE = new Error('outside')

/** The clock, as far as it tells times of a window. */
const guarded =
  (clock: Clock, fromMs: number, untilMs: number): Clock =>
  () => {
    const nowMs = clock()
    if (nowMs < fromMs || nowMs >= untilMs) throw OUTSIDE
    return nowMs
  }

interface Candidate {
  readonly name: string
  readonly family: IdFamily
  readonly capacity: number
  readonly make: (clock: Clock) => IdGenerator<string>
}

const candidates: readonly Candidate[] = [
  {
    name: 'sno',
    family: sno as IdFamily,
    capacity: 61_440,
    make: (clock) => sno.generator({ partition: 1, clock }),
  },
  {
    name: 'flake',
    family: flake as IdFamily,
    capacity: 4096,
    make: (clock) => flake.generator({ id: 1, clock, onClockBack: 'throw' }),
  },
]

const WINDOW_MS = 40
/** Where the clock goes, in ms from the start: through three windows, before them and after. */
const walks = fc.array(fc.integer({ min: -8, max: 3 * WINDOW_MS + 8 }), { minLength: 1, maxLength: 60 })

describe.each(candidates)('$name', ({ family, capacity, make }) => {
  test('whatever the clock does, each id is inside its window, and generators with one number never repeat an id', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const wall = wallClock()
        const windows = [0, 1, 2].map((i) => START_MS + i * WINDOW_MS)
        const generators = windows.map((fromMs) => make(guarded(wall.read, fromMs, fromMs + WINDOW_MS)))
        const made = new Set()
        for (const step of walk) {
          wall.nowMs = START_MS + step
          generators.forEach((generator, i) => {
            const fromMs = windows[i] as number
            try {
              const id = generator.generate()
              expect(family.timeMs(id as never)).toBeGreaterThanOrEqual(fromMs)
              expect(family.timeMs(id as never)).toBeLessThan(fromMs + WINDOW_MS)
              expect(made.has(id)).toBe(false)
              made.add(id)
            } catch (error) {
              if (error !== OUTSIDE && (error as { code?: string }).code !== 'CLOCK_MOVED_BACK') throw error
            }
          })
        }
      }),
      { numRuns: 300 },
    )
  })

  test('a call that waits for the next unit is refused if that is outside the window', () => {
    const [unitMs, reads] = [family.layout.unitMs, { left: Number.POSITIVE_INFINITY }]
    const clock = () => START_MS + (reads.left-- > 0 ? 0 : unitMs)
    const generator = make(guarded(clock, START_MS, START_MS + unitMs))
    const ids = new Set(generator.batch(capacity))
    reads.left = 3
    expect(() => generator.generate()).toThrow(OUTSIDE)
    expect(ids.size).toBe(capacity)
  })
})
