import { IdError, type SnoGenerator, type SnoSnapshot, sno, storageFor } from '@snoflax/core'
import { expect, test } from 'vitest'
import { bytesOf, hexOf, latin1 } from '../bytes.js'
import { allQuirks, checkVectors } from '../check-vectors.js'
import { type ScriptedClock, scriptedClock, wallClock } from '../generators/clocks.js'
import { atUnit } from '../generators/sno-time.js'
import { settled, virtualTime } from '../generators/virtual-time.js'
import { expectRefusal } from '../refusal.js'

interface IdVector {
  readonly hex: string
  readonly text: string
  readonly timeMs: number
  readonly units: number
  readonly tickTock: 0 | 1
  readonly meta: number
  readonly partition: number
  readonly sequence: number
  readonly isZero: boolean
}

interface Marshalled {
  readonly hex: string
  readonly json: string
  readonly inStructOmitEmpty: string
  readonly asMapKey: string
  readonly marshalText: string
  readonly marshalBinaryHex: string
  readonly sqlValueHex: string
}

interface JsonDocument {
  readonly json: string
  readonly canonical: boolean
  readonly error: unknown
  readonly receiverAfter: string
}

interface Scanned {
  readonly input: { readonly type: string; readonly hex?: string; readonly value?: unknown }
  readonly error: unknown
  readonly receiverAfter: string
}

/** A generator's state, in which the partition is one number. */
interface RecordedState extends Omit<SnoSnapshot, 'partition'> {
  readonly partition: number
}

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

interface Script {
  readonly snapshot: RecordedState
  readonly steps: readonly (Reading | Made)[]
}

interface Restored {
  readonly clock: number
  readonly input: RecordedState
  readonly error: { readonly msg: string } | null
  readonly output: RecordedState
  readonly outputJSON: string
  readonly cap: number
  readonly len: number
}

interface Backfilled {
  readonly tag?: string
  readonly snapshot: RecordedState
  readonly calls: readonly { readonly meta: number; readonly timeNs: string; readonly hex: string }[]
}

virtualTime()

const EPOCH_MS = Date.UTC(2010, 0, 1)
const DATABASES = ['postgres', 'sqlite', 'mysql', 'mariadb'] as const
const idOf = (hex: string) => sno.encode(bytesOf(hex))
const snapshotOf = ({ partition, ...rest }: RecordedState): SnoSnapshot => ({
  ...rest,
  partition: [partition >> 8, partition & 0xff],
})

function expectReading(generator: SnoGenerator, { op, value }: Reading): void {
  if (op === 'snapshot') expect(generator.snapshot()).toEqual(snapshotOf(value))
  else expect(generator[({ sequence: 'sequence', len: 'length', cap: 'capacity' } as const)[op]]).toBe(value)
}

/** The longest wait of generate(), in units. */
const MAX_BLOCK_UNITS = 3
const waits = { none: 0, blocked: 0, refused: 0 }

async function expectMade(generator: SnoGenerator, clock: ScriptedClock, step: Made): Promise<void> {
  const { meta, reads } = step
  const readings = reads.map(atUnit)
  const state = (): SnoSnapshot => {
    clock.play(readings)
    return generator.snapshot()
  }
  const before = state()
  // Units until the clock, at its first reading, is where ids are possible again.
  const behind = reads.length === 1 ? 0 : Math.min(before.wallHi, before.wallSafe + 1) - (reads[0] as number)
  clock.play(readings)
  if (behind <= MAX_BLOCK_UNITS) {
    expect(hexOf(sno.decode(generator.generate(meta)))).toBe(step.hex)
    waits[reads.length === 1 ? 'none' : 'blocked']++
  } else {
    expectRefusal(() => generator.generate(meta), 'CLOCK_MOVED_BACK', { waitMs: behind * 4 })
    expect(clock.left).toBe(reads.length - 1)
    expect(state()).toEqual(before)
    clock.play(readings)
    expect(await settled(generator.generateAsync(meta))).toBe(step.text)
    waits.refused++
  }
}

const SHARD_MIN = 0xf000

checkVectors(
  'sno',
  {
    id({ hex, text, timeMs, units, tickTock, meta, partition, sequence, isZero }: IdVector) {
      const fields = { timeMs, tickTock, meta, partition, sequence }
      const id = idOf(hex)
      expect(id).toBe(text)
      expect(hexOf(sno.decode(text))).toBe(hex)
      expect(sno.unpack(id)).toEqual(fields)
      expect(sno.pack(fields)).toBe(text)
      expect(sno.time(id)).toEqual(new Date(timeMs))
      expect((sno.timeMs(id) - EPOCH_MS) / 4).toBe(units)
      expect(sno.meta(id)).toBe(meta)
      expect(sno.withMeta(id, 0)).toBe(sno.pack({ ...fields, meta: 0 }))
      expect(sno.withMeta(sno.withMeta(id, 255), meta)).toBe(id)
      expect(sno.isZero(id)).toBe(isZero)
    },
    badText({ textHex }: { textHex: string }) {
      expectRefusal(() => sno.parse(latin1(textHex)), 'INVALID_LENGTH')
      expect(sno.is(latin1(textHex))).toBe(false)
    },
    badChars: allQuirks,
    badBytes: ({ hex }: { hex: string }) => void expectRefusal(() => idOf(hex), 'INVALID_LENGTH'),
    sort({ input, sorted, sortedText }: { input: string[]; sorted: string[]; sortedText: string[] }) {
      const ids = input.map(idOf).sort(sno.compare)
      expect(ids).toEqual(sortedText)
      expect(ids.map((id) => hexOf(sno.decode(id)))).toEqual(sorted)
      expect(input.map(idOf).sort()).toEqual(sortedText)
    },
    compare({ a, b, result }: { a: string; b: string; result: number }) {
      expect(Math.sign(sno.compare(idOf(a), idOf(b)))).toBe(result)
      expect(Math.sign(sno.compare(idOf(b), idOf(a)))).toBe(0 - result)
    },
    partition({ bytes, json, uint16 }: { bytes: string; json: string; uint16: number }) {
      const id = sno.pack({ timeMs: EPOCH_MS, tickTock: 0, meta: 0, partition: uint16, sequence: 0 })
      expect(hexOf(sno.decode(id).slice(6, 8))).toBe(bytes)
      const snapshot = sno.generator({ partition: uint16 }).snapshot()
      expect(snapshot.partition).toEqual(JSON.parse(json))
      expect(sno.generator({ snapshot }).partition).toBe(uint16)
    },

    marshal({ hex, json, inStructOmitEmpty, asMapKey, ...forms }: Marshalled) {
      const id = idOf(hex)
      expect(JSON.stringify(sno.toJson(id))).toBe(json)
      expect(JSON.stringify({ id: sno.toJson(id) })).toBe(inStructOmitEmpty)
      expect(JSON.stringify({ [id]: 1 })).toBe(asMapKey)
      expect(sno.fromJson(JSON.parse(json))).toBe(id)
      expect(id).toBe(forms.marshalText)
      expect(hexOf(sno.decode(id))).toBe(forms.marshalBinaryHex)
      const column = storageFor(sno, 'postgres', { storage: 'binary' })
      expect(hexOf(column.toDatabase(id) as Uint8Array)).toBe(forms.sqlValueHex)
    },
    unmarshalJSON({ json, canonical, receiverAfter }: JsonDocument) {
      if (canonical) expect(hexOf(sno.decode(sno.fromJson(JSON.parse(json))))).toBe(receiverAfter)
      else expect(() => sno.fromJson(JSON.parse(json))).toThrow(IdError)
    },
    scan({ input: { type, hex, value }, error, receiverAfter }: Scanned) {
      const scanned = type === 'bytes' ? bytesOf(hex as string) : value
      for (const database of DATABASES) {
        const column = storageFor(sno, database)
        if (error === null) expect(hexOf(sno.decode(column.fromDatabase(scanned)))).toBe(receiverAfter)
        else expect(() => column.fromDatabase(scanned)).toThrow(IdError)
      }
    },

    /** Each script once with generate(), which may refuse to wait, and once with generateAsync() alone. */
    async generator({ snapshot, steps }: Script) {
      for (const isAsync of [false, true]) {
        const clock = scriptedClock()
        const generator = sno.generator({ snapshot: snapshotOf(snapshot), clock: clock.read })
        for (const step of steps) {
          clock.play((step.reads ?? []).map(atUnit))
          if (step.op !== 'new') expectReading(generator, step)
          else if (isAsync) expect(await settled(generator.generateAsync(step.meta))).toBe(step.text)
          else await expectMade(generator, clock, step)
          expect(clock.left).toBe(0)
        }
      }
    },
    snapshot({ clock, input, error, output, outputJSON, cap, len }: Restored) {
      const restore = () =>
        sno.generator({ snapshot: snapshotOf(input), clock: wallClock(atUnit(clock)).read })
      if (error !== null) {
        const isSequence = error.msg.includes('underflows')
        const wrong = isSequence ? input.sequence : Math.max(input.sequenceMin, input.sequenceMax)
        expectRefusal(restore, 'INVALID_OPTION', {
          field: isSequence ? 'sequence' : 'sequenceMax',
          message: expect.stringContaining(String(wrong)),
        })
        return
      }
      const generator = restore()
      const snapshot = generator.snapshot()
      expect(snapshot).toEqual(snapshotOf(output))
      expect(JSON.stringify(snapshot)).toBe(outputJSON)
      const { partition, sequenceMin, sequenceMax } = output
      expect(generator).toMatchObject({ partition, sequenceMin, sequenceMax, capacity: cap, length: len })
    },
    /**
     * In the reference one counter rolls over all times on the live numbers, and the id takes the live tick-tock bit.
     * Ours counts each unit in a shard of its own.
     */
    newWithTime({ tag, snapshot, calls }: Backfilled) {
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
        const recorded = sno.unpack(idOf(hex))
        const count = made.get(recorded.timeMs) ?? 0
        try {
          const id = generator.generateAt(Number(BigInt(timeNs) / 1_000_000n), meta)
          expect(sno.unpack(id)).toEqual({ ...recorded, tickTock: 0, sequence: SHARD_MIN + count })
          made.set(recorded.timeMs, count + 1)
        } catch (error) {
          if (!(error instanceof IdError)) throw error
          refusals.add(error.code)
          if (error.code === 'SEQUENCE_EXHAUSTED') expect(count).toBe(capacity)
        }
      }
      // The reference repeats ids of other times, or of the unit.
      const refused = { 'past-max-wraps': 'TIME_OUT_OF_RANGE', rollover: 'SEQUENCE_EXHAUSTED' }[tag ?? '']
      expect([...refusals]).toEqual(refused === undefined ? [] : [refused])
    },
  },
  [
    {
      kinds: ['badChars'],
      reason: 'The reference decodes any 16 bytes, to an id that depends on the processor.',
      refused: 'INVALID_CHARACTER',
      position: ({ invalidAt }: { invalidAt: readonly number[] }) => invalidAt[0] as number,
      attempts: ({ textHex }: { textHex: string }) => [
        () => sno.parse(latin1(textHex)),
        () => storageFor(sno, 'postgres', { storage: 'text' }).fromDatabase(latin1(textHex)),
      ],
    },
    {
      kinds: ['unmarshalJSON'],
      when: ({ json, canonical, error }: JsonDocument) =>
        !canonical && error === null && typeof JSON.parse(json) === 'number',
      reason:
        'The reference looks at the length of a JSON document only and takes an 18-digit number as an id.',
      refused: 'INVALID_TYPE',
      attempts: ({ json }: JsonDocument) => [() => sno.fromJson(JSON.parse(json))],
    },
    {
      kinds: ['unmarshalJSON'],
      when: ({ json, canonical, error }: JsonDocument) =>
        !canonical && error === null && typeof JSON.parse(json) === 'string',
      reason: 'Upper case is foreign: an id has one text.',
      refused: 'INVALID_CHARACTER',
      attempts: ({ json }: JsonDocument) => [() => sno.fromJson(JSON.parse(json))],
    },
    {
      kinds: ['scan'],
      when: ({ input }: Scanned) => input.type === 'nil',
      reason: 'The reference reads a database null as the zero id. A missing value should not become an id.',
      instead: () => expect(storageFor(sno, 'postgres').fromDatabase(null)).toBe(null),
    },
    {
      kinds: ['scan'],
      when: ({ input }: Scanned) => input.type === 'sno.ID' || input.type === '[10]byte',
      reason:
        'The reference refuses its own array types. In JavaScript ten bytes are one type, which is read.',
      instead({ input }: Scanned) {
        const bytes = bytesOf(input.value as string)
        expect(hexOf(sno.decode(storageFor(sno, 'postgres').fromDatabase(bytes)))).toBe(input.value)
      },
    },
  ],
)

test('ids of the scripts were generated at once, after blocking, and after a refusal by waiting', () => {
  expect(Math.min(waits.none, waits.blocked, waits.refused)).toBeGreaterThan(0)
})
