import { flax } from '@snoflax/core'
import { expect } from 'vitest'
import { bytesOf, hexOf } from '../bytes.js'
import { checkVectors } from '../check-vectors.js'

interface Encoded {
  readonly timestampMs: number
  readonly epochMs?: number
  readonly randomHex: string
  readonly text: string
  readonly hex?: string
  readonly num?: string
}

const EPOCH_MS = Date.UTC(2015, 0, 1)

function checkEncoded({ timestampMs, epochMs, randomHex, text, hex, num }: Encoded): void {
  const random = bytesOf(randomHex)
  const id = flax.pack({ timeMs: timestampMs, random })
  expect(id).toBe(text)
  expect(flax.parse(text)).toBe(text)
  expect(flax.unpack(id)).toEqual({ timeMs: timestampMs, random })
  expect(flax.timeMs(id)).toBe(timestampMs)
  expect(flax.time(id)).toEqual(new Date(timestampMs))
  if (epochMs !== undefined) expect(flax.timeMs(id) - EPOCH_MS).toBe(epochMs)
  if (hex !== undefined) expect(hexOf(flax.decode(id))).toBe(hex)
  if (num !== undefined) expect(BigInt(`0x${hexOf(flax.decode(id))}`)).toBe(BigInt(num))
}

checkVectors('flaxCodec', {
  encode: checkEncoded,
  intSeconds: checkEncoded,
  floatSeconds: checkEncoded,
  falsyTimestamp: ({ nowMs, randomHex, text }: { nowMs: number; randomHex: string; text: string }) =>
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
  overflow: () => expect.fail('every one of these is a quirk'),
  beforeEpoch: () => expect.fail('every one of these is a quirk'),
})
