import { flax } from '@snoflax/core'
import { expect } from 'vitest'
import { bytesOf, hexOf } from '../bytes.js'
import { allQuirks, checkVectors } from '../check-vectors.js'
import type { FlaxVector } from '../recorded-vectors.js'

interface Encoded extends FlaxVector {
  readonly epochMs?: number
  readonly num?: string
}

const EPOCH_MS = Date.UTC(2015, 0, 1)

function checkEncoded({ timestampMs, epochMs, randomHex, text, hex, num }: Encoded): void {
  const random = bytesOf(randomHex)
  const id = flax.pack({ timeMs: timestampMs, random })
  expect(id).toBe(text)
  expect(flax.parse(text)).toBe(text)
  expect(flax.unpack(id)).toEqual({ timeMs: timestampMs, random })
  expect(flax.time(id)).toEqual(new Date(timestampMs))
  if (epochMs !== undefined) expect(flax.timeMs(id) - EPOCH_MS).toBe(epochMs)
  if (hex !== undefined) expect(hexOf(flax.decode(id))).toBe(hex)
  if (num !== undefined) expect(BigInt(`0x${hexOf(flax.decode(id))}`)).toBe(BigInt(num))
}

interface FalsyTime {
  readonly argument: string
  readonly nowMs: number
  readonly randomHex: string
  readonly text: string
}

checkVectors(
  'flax',
  {
    encode: checkEncoded,
    intSeconds: checkEncoded,
    floatSeconds: checkEncoded,
    falsyTimestamp: ({ nowMs, randomHex, text }: FalsyTime) =>
      checkEncoded({ timestampMs: nowMs, randomHex, text }),
    base64({ hex, num, text }: { hex: string; num: string; text: string }) {
      expect(flax.encode(bytesOf(hex))).toBe(text)
      expect(hexOf(flax.decode(text))).toBe(hex)
      expect(BigInt(`0x${hex}`)).toBe(BigInt(num))
      expect(flax.pack(flax.unpack(flax.parse(text)))).toBe(text)
    },
    sort({ input, sorted }: { input: string[]; sorted: string[] }) {
      expect(input.map(flax.parse).sort(flax.compare)).toEqual(sorted)
      expect([...input].sort()).toEqual(sorted)
      const hexes = input.map((text) => hexOf(flax.decode(text))).sort()
      expect(hexes.map((hex) => flax.encode(bytesOf(hex)))).toEqual(sorted)
    },
    regex({ text, canonical }: { text: string; canonical: boolean }) {
      expect(flax.is(text)).toBe(canonical)
      expect(flax.pattern.test(text)).toBe(canonical)
    },
    overflow: allQuirks,
    beforeEpoch: allQuirks,
  },
  [
    {
      kinds: ['overflow', 'beforeEpoch'],
      reason: 'The reference writes a text that has lost time or order for moments that 40 bits cannot hold.',
      refused: 'TIME_OUT_OF_RANGE',
      attempts: ({ timestampMs, randomHex }: FlaxVector) => [
        () => flax.pack({ timeMs: timestampMs, random: bytesOf(randomHex) }),
        () => flax.generateAt(timestampMs),
        () => flax.generator().generateAt(new Date(timestampMs)),
      ],
    },
    {
      kinds: ['falsyTimestamp'],
      when: ({ argument }: FalsyTime) => Number.parseFloat(argument) === 0,
      reason:
        'A time of 0 means now in the reference. Here it is the Unix epoch, which is before that of flax.',
      restHolds: true,
      refused: 'TIME_OUT_OF_RANGE',
      attempts: ({ argument }: FalsyTime) => [() => flax.generateAt(Number(argument))],
    },
    {
      kinds: ['falsyTimestamp'],
      when: ({ argument }: FalsyTime) => Number.isNaN(Number.parseFloat(argument)),
      reason: 'None and False mean now in the reference. Here they are no times.',
      restHolds: true,
      refused: 'INVALID_TYPE',
      attempts: ({ argument }: FalsyTime) => [() => flax.generateAt(JSON.parse(argument))],
    },
  ],
)
