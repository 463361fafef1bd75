import { randomBytes } from 'node:crypto'
import type { IdFamily } from '@snoflax/core'

/** Few enough to stay in the processor's first cache while others have their turn. */
export const SAMPLES = 64

export const samples = <T>(make: (i: number) => T): T[] => Array.from({ length: SAMPLES }, (_, i) => make(i))

/** The value for a step. */
export const pick = <T>(values: readonly T[], i: number): T => values[i % SAMPLES] as T

/** Ids of random bytes; below 2^63, so that each also fits a signed bigint. */
export function sampleBytes(family: IdFamily): Buffer[] {
  return samples(() => {
    const bytes = randomBytes(family.byteLength)
    bytes.writeUInt8(bytes.readUInt8() & 0x7f)
    return bytes
  })
}

/** Flat texts, as they come from a connection: concatenated ones take longer to read. */
export const received = <Text extends string>(texts: readonly Text[]): Text[] =>
  texts.map((text) => Buffer.from(text).toString() as Text)

export const sampleIds = <AnId extends string>(family: IdFamily<AnId>): AnId[] =>
  sampleBytes(family).map((bytes) => family.encode(bytes))
