import { type SnoId, sno } from '@snoflax/core'
import { expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { START_MS } from './clocks.js'

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
