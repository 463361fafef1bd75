import { IdError, type SnoGenerator, type SnoId, type SnoSnapshot, sno } from '@snoflax/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { clockStep } from './clock-scripts.js'
import { slow, wallClock } from './clocks.js'
import { atUnit } from './sno-time.js'
import { virtualTime } from './virtual-time.js'

const NOW = 132_800_000_000

virtualTime()

const throughJson = (snapshot: SnoSnapshot): SnoSnapshot => JSON.parse(JSON.stringify(snapshot))

const GOOD: SnoSnapshot = {
  partition: [1, 2],
  sequenceMin: 10,
  sequenceMax: 99,
  sequence: 12,
  now: NOW,
  wallHi: NOW,
  wallSafe: 0,
  drifts: 0,
}

test('generateAt and snapshot can be called without the generator as `this`', () => {
  const { generate, generateAt, snapshot } = sno.generator({ partition: 7, clock: () => atUnit(NOW) })
  const { partition, sequence } = sno.unpack(generate())
  expect(sno.unpack(generateAt(atUnit(NOW - 1)))).toMatchObject({ partition, timeMs: atUnit(NOW - 1) })
  expect(snapshot()).toMatchObject({ partition: [0, 7], sequence, wallHi: NOW })
})

test('a snapshot is a copy: later calls do not change it, and it can be restored twice', () => {
  const clock = wallClock(atUnit(NOW))
  const generator = sno.generator({ partition: 1, clock: clock.read })
  generator.generate()
  const snapshot = generator.snapshot()
  const copy = structuredClone(snapshot)
  generator.batch(5)
  expect(snapshot).toEqual(copy)
  const [one, other] = [1, 2].map(() => sno.generator({ snapshot, clock: clock.read }).generate())
  expect(one).toBe(other)
})

type Operation =
  | { readonly kind: 'step'; readonly stepMs: number }
  | { readonly kind: 'generate' | 'generateAt'; readonly meta: number; readonly count: number }
  | { readonly kind: 'restore' }
  | { readonly kind: 'look' }

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: clockStep.map((stepMs) => ({ kind: 'step', stepMs }) as const) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('generate', 'generateAt'),
      meta: fc.nat(255),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'restore' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'look' } as const) },
)

const LIVE = { sequenceMin: 0, sequenceMax: 6 }

test('no id repeats, over any sequence of calls and restores and any clock', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 120 }), (operations) => {
      const clock = wallClock()
      const options = { clock: slow(clock.read, 5) }
      const backfill = { sequenceMin: 7, sequenceMax: 16 }
      let generator: SnoGenerator = sno.generator({ partition: 77, ...LIVE, backfill, ...options })
      const seen = new Set<SnoId>()

      const add = (id: SnoId, meta: number): void => {
        const fields = sno.unpack(id)
        const isLive = fields.sequence <= LIVE.sequenceMax
        expect(sno.pack(fields)).toBe(id)
        expect(fields).toMatchObject({ partition: 77, meta })
        expect(fields.timeMs).toBeLessThanOrEqual(clock.nowMs)
        expect(clock.nowMs - fields.timeMs).toBeLessThan(4)
        expect(fields.tickTock).toBe(isLive ? generator.snapshot().drifts % 2 : 0)
        const bare = sno.withMeta(id, 0)
        expect(seen).not.toContain(bare)
        seen.add(bare)
      }

      for (const operation of operations) {
        switch (operation.kind) {
          case 'step':
            clock.nowMs += operation.stepMs
            break
          case 'restore':
            generator = sno.generator({
              snapshot: throughJson(generator.snapshot()),
              backfill,
              ...options,
            })
            break
          case 'look':
            expect(generator.length).toBeGreaterThanOrEqual(0)
            expect(generator.length).toBeLessThanOrEqual(generator.capacity)
            expect(generator.sequence).toBeGreaterThanOrEqual(LIVE.sequenceMin)
            break
          default:
            for (let i = 0; i < operation.count; i++) {
              try {
                const { kind, meta } = operation
                add(
                  kind === 'generate' ? generator.generate(meta) : generator.generateAt(clock.nowMs, meta),
                  meta,
                )
              } catch (error) {
                if (!(error instanceof IdError)) throw error
                expect(['CLOCK_MOVED_BACK', 'SEQUENCE_EXHAUSTED']).toContain(error.code)
              }
            }
        }
      }
    }),
    { numRuns: 600 },
  )
})

test.each<[Partial<Record<keyof SnoSnapshot, unknown>>, field?: string]>([
  [{ partition: [256, 0] }, 'partition'],
  [{ partition: [0, -1] }, 'partition'],
  [{ sequenceMin: -1 }, 'sequenceMin'],
  [{ sequenceMax: 65_536 }, 'sequenceMax'],
  [{ sequence: 2 ** 32 }, 'sequence'],
  [{ now: 2 ** 39 }, 'now'],
  [{ now: 0.5 }, 'now'],
  [{ wallHi: 2 ** 39 }, 'wallHi'],
  [{ wallSafe: -1 }, 'wallSafe'],
  [{ drifts: 2 ** 32 }, 'drifts'],
  // Of another type.
  [{ partition: 258 }],
  [{ partition: [1] }],
  [{ sequence: undefined }],
  [{ wallHi: undefined }],
  [{ now: String(NOW) }],
])('a snapshot with %o is refused', (change, field) => {
  const snapshot = { ...GOOD, ...change } as SnoSnapshot
  const code = field === undefined ? 'INVALID_TYPE' : 'FIELD_OUT_OF_RANGE'
  const error = expectRefusal(() => sno.generator({ snapshot }), code)
  if (field === undefined) return
  expect(error.field).toBe(field)
  expect([Object.values(change)[0]].flat()).toContain(error.value)
})

test.each([null, JSON.stringify(GOOD)])('%o is not a snapshot', (snapshot) => {
  expectRefusal(() => sno.generator({ snapshot: snapshot as never }), 'INVALID_TYPE')
})

test.each(['partition', 'sequenceMin', 'sequenceMax'] as const)(
  'a snapshot together with %s is refused',
  (field) => {
    const error = expectRefusal(() => sno.generator({ snapshot: GOOD, [field]: 50 }), 'INVALID_OPTION')
    expect(error.field).toBe('snapshot')
  },
)
