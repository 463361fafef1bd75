import { IdError, type SnoGenerator, type SnoSnapshot, sno } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { hexOf } from '../bytes.js'
import { expectRefusal } from '../refusal.js'
import { type Vector, vectorsOf } from '../vectors.js'
import { type ScriptedClock, scriptedClock, wallClock } from './clocks.js'
import { generatorQuirkOf } from './refused-quirks.js'
import { atUnit, type RecordedState, snapshotOf } from './sno-time.js'
import { settled, virtualTime } from './virtual-time.js'

type Reading =
  | { readonly op: 'sequence' | 'len'; readonly reads: readonly number[]; readonly value: number }
  | { readonly op: 'cap'; readonly reads?: undefined; readonly value: number }
  | { readonly op: 'snapshot'; readonly reads: readonly number[]; readonly value: RecordedState }

interface Made {
  readonly op: 'new'
  readonly meta: number
  readonly reads: readonly number[]
  readonly hex: string
  readonly text: string
}

interface Script extends Vector {
  readonly name: string
  readonly snapshot: RecordedState
  readonly steps: readonly (Reading | Made)[]
}

interface Restored extends Vector {
  readonly clock: number
  readonly input: RecordedState
  readonly error: { readonly msg: string } | null
  readonly output: RecordedState
  readonly outputJSON: string
  readonly cap: number
  readonly len: number
}

interface Backfilled extends Vector {
  readonly snapshot: RecordedState
  readonly calls: readonly { readonly meta: number; readonly timeNs: string; readonly hex: string }[]
}

virtualTime()

function expectReading(generator: SnoGenerator, { op, value }: Reading): void {
  switch (op) {
    case 'sequence':
      expect(generator.sequence).toBe(value)
      break
    case 'len':
      expect(generator.length).toBe(value)
      break
    case 'cap':
      expect(generator.capacity).toBe(value)
      break
    case 'snapshot':
      expect(generator.snapshot()).toEqual(snapshotOf(value))
  }
}

/** Units until the clock, at its first reading, is where ids are possible again; 0 or less if it isn't behind. */
function unitsBehind({ wallHi, wallSafe }: SnoSnapshot, [first]: readonly number[]): number {
  return Math.min(wallHi, wallSafe + 1) - (first as number)
}

/** The longest wait of generate(), in units. */
const MAX_BLOCK_UNITS = 3

describe('sno.json generator', () => {
  const scripts = vectorsOf<Script>('sno', 'generator')
  const waits = { none: 0, blocked: 0, refused: 0 }

  async function expectMade(generator: SnoGenerator, clock: ScriptedClock, step: Made): Promise<void> {
    const { meta, reads } = step
    const readings = reads.map(atUnit)
    const state = (): SnoSnapshot => {
      clock.play(readings)
      return generator.snapshot()
    }
    const before = state()
    const behind = reads.length === 1 ? 0 : unitsBehind(before, reads)
    clock.play(readings)
    if (behind <= MAX_BLOCK_UNITS) {
      expect(hexOf(sno.decode(generator.generate(meta)))).toBe(step.hex)
      waits[reads.length === 1 ? 'none' : 'blocked']++
    } else {
      const { waitMs } = expectRefusal(() => generator.generate(meta), 'CLOCK_MOVED_BACK')
      expect(waitMs).toBe(behind * 4)
      expect(clock.left).toBe(reads.length - 1)
      expect(state()).toEqual(before)
      clock.play(readings)
      expect(await settled(generator.generateAsync(meta))).toBe(step.text)
      waits.refused++
    }
    expect(clock.left).toBe(0)
  }

  test.each(scripts)('$v: $name', async ({ snapshot, steps }) => {
    const clock = scriptedClock()
    const generator = sno.generator({ snapshot: snapshotOf(snapshot), clock: clock.read })
    for (const step of steps) {
      clock.play((step.reads ?? []).map(atUnit))
      if (step.op === 'new') await expectMade(generator, clock, step)
      else expectReading(generator, step)
      expect(clock.left).toBe(0)
    }
  })

  test('ids were generated at once, after blocking, and after a refusal by waiting', () => {
    expect(Math.min(waits.none, waits.blocked, waits.refused)).toBeGreaterThan(0)
  })

  test.each(scripts)('$v: $name, with generateAsync only', async ({ snapshot, steps }) => {
    const clock = scriptedClock()
    const generator = sno.generator({ snapshot: snapshotOf(snapshot), clock: clock.read })
    for (const step of steps) {
      clock.play((step.reads ?? []).map(atUnit))
      if (step.op === 'new') expect(await settled(generator.generateAsync(step.meta))).toBe(step.text)
      else expectReading(generator, step)
      expect(clock.left).toBe(0)
    }
  })
})

describe('sno.json snapshot', () => {
  test.each(vectorsOf<Restored>('sno', 'snapshot'))(
    '$v',
    ({ clock, input, error, output, outputJSON, cap, len }) => {
      const restore = () =>
        sno.generator({ snapshot: snapshotOf(input), clock: wallClock(atUnit(clock)).read })
      if (error !== null) {
        const { field, message } = expectRefusal(restore, 'INVALID_OPTION')
        const isSequence = error.msg.includes('underflows')
        expect(field).toBe(isSequence ? 'sequence' : 'sequenceMax')
        expect(message).toContain(
          String(isSequence ? input.sequence : Math.max(input.sequenceMin, input.sequenceMax)),
        )
        return
      }
      const generator = restore()
      const snapshot = generator.snapshot()
      expect(snapshot).toEqual(snapshotOf(output))
      expect(JSON.stringify(snapshot)).toBe(outputJSON)
      expect(generator).toMatchObject({
        partition: output.partition,
        sequenceMin: output.sequenceMin,
        sequenceMax: output.sequenceMax,
        capacity: cap,
        length: len,
      })
    },
  )
})

describe('sno.json newWithTime', () => {
  const SHARD_MIN = 0xf000

  test.each(vectorsOf<Backfilled>('sno', 'newWithTime'))('$v $tag', (vector) => {
    const { snapshot, calls } = vector
    const quirk = generatorQuirkOf('sno', vector)
    const reference = sno.generator({ snapshot: snapshotOf(snapshot), clock: wallClock().read })
    const capacity = Math.min(reference.capacity, 0x1000)
    const generator = sno.generator({
      partition: snapshot.partition,
      sequenceMin: 0,
      sequenceMax: SHARD_MIN - 1,
      backfill: { sequenceMin: SHARD_MIN, sequenceMax: SHARD_MIN + capacity - 1 },
      clock: scriptedClock().read,
    })
    const made = new Map<number, number>()
    const refusals = new Set<unknown>()

    for (const { meta, timeNs, hex } of calls) {
      const recorded = sno.unpack(sno.encode(Uint8Array.from(Buffer.from(hex, 'hex'))))
      const moment = Number(BigInt(timeNs) / 1_000_000n)
      const count = made.get(recorded.timeMs) ?? 0
      try {
        const id = generator.generateAt(moment, meta)
        expect(sno.unpack(id)).toEqual({ ...recorded, tickTock: 0, sequence: SHARD_MIN + count })
        made.set(recorded.timeMs, count + 1)
      } catch (error) {
        if (!(error instanceof IdError)) throw error
        refusals.add(error.code)
        if (error.code === 'SEQUENCE_EXHAUSTED') expect(count).toBe(capacity)
      }
    }
    expect([...refusals]).toEqual(quirk?.refused === undefined ? [] : [quirk.refused])
  })
})
