import { flake, type IdGenerator, sno } from '@snoflax/core'
import { uid } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { START_MS, scriptedClock, slow } from './clocks.js'
import { virtualTime } from './virtual-time.js'

virtualTime()

interface Candidate {
  readonly name: string
  readonly make: (clock: () => number) => IdGenerator<string>
  /** How many ids a unit has. */
  readonly capacity: number
  readonly numberOf: (id: never) => number
  /** How long the clock must move until it is in the next unit, which is what the error states. */
  readonly unitMs: number
  /** The longest that generate() blocks. */
  readonly blocksMs: number
}

const candidates: readonly Candidate[] = [
  {
    name: 'sno',
    make: (clock) => sno.generator({ partition: 1, sequenceMin: 0, sequenceMax: 5, clock }),
    capacity: 6,
    numberOf: (id) => sno.unpack(id).sequence,
    unitMs: 4,
    blocksMs: 12,
  },
  {
    name: 'flake',
    make: (clock) => flake.generator({ id: 5, counterMask: 1, clock }),
    capacity: 2,
    numberOf: (id) => flake.unpack(id).counter,
    unitMs: 1,
    blocksMs: 10,
  },
  {
    name: 'uid',
    make: (clock) => uid.generator({ node: 'a@h', backfill: { sequenceMin: 3, sequenceMax: 9 }, clock }),
    capacity: 3,
    numberOf: (id) => uid.unpack(id).sequence,
    unitMs: 2,
    blocksMs: 10,
  },
]

describe.each(candidates)('a unit of $name that is used up', (candidate) => {
  const { name, make, capacity, numberOf, unitMs, blocksMs } = candidate

  function usedUp() {
    const source = { read: (): number => START_MS }
    const generator = make(() => source.read())
    expect(generator.batch(capacity).map(numberOf as never)).toEqual([...Array(capacity).keys()])
    return { source, generator }
  }

  /** The id is the first one of the unit in which the clock is, so many ms after the start. */
  function expectFirst({ family }: IdGenerator<string>, id: string, ms: number) {
    expect(numberOf(id as never)).toBe(0)
    expect(START_MS + ms - family.timeMs(id as never)).toBeLessThan(unitMs)
  }

  test.each([1, 9])('blocks generate until the clock is %d units later', (units) => {
    const { source, generator } = usedUp()
    const clock = scriptedClock(...[0, 0, 0, units * unitMs].map((ms) => START_MS + ms))
    source.read = clock.read
    expectFirst(generator, generator.generate(), units * unitMs)
    expect(clock.left).toBe(0)
  })

  test('is SEQUENCE_EXHAUSTED if the clock stands still, each time, and no number is lost', () => {
    const { source, generator } = usedUp()
    let readings = 0
    source.read = slow(() => {
      readings++
      return START_MS
    })
    for (let attempt = 0; attempt < 2; attempt++) {
      readings = 0
      const error = expectRefusal(() => generator.generate(), 'SEQUENCE_EXHAUSTED')
      expect(error).toMatchObject({ family: name, waitMs: unitMs })
      expect(error.message).toContain(`all ${capacity} ids`)
      expect(readings).toBeGreaterThanOrEqual(blocksMs)
      expect(readings).toBeLessThanOrEqual(blocksMs + 3)
    }
    source.read = () => START_MS + unitMs
    expectFirst(generator, generator.generate(), unitMs)
  })

  test('is not an error for a thread that was paused: the clock is read once more', () => {
    const { source, generator } = usedUp()
    source.read = slow(scriptedClock(START_MS, START_MS, START_MS + 40).read, 40)
    expectFirst(generator, generator.generate(), 40)
  })
})
