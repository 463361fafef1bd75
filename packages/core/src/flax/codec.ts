import type { Id } from '../family.js'
import { checkTimeField } from '../primitives/clock.js'
import { checkBytes } from '../primitives/errors.js'
import { coder64, type TextCoder, type WordCoder, words64 } from '../primitives/radix.js'
import { ALPHABET, EPOCH_MS, LAST_MS, RANDOM_BYTES } from './layout.js'

/** A flax id: 16 characters; 40 bits of milliseconds and 56 random bits. */
export type FlaxId = Id<'flax'>

/** The fields of a flax id. */
export interface FlaxFields {
  /** Unix milliseconds, from 2015-01-01 to 2049-11-03. */
  readonly timeMs: number
  /** 7 bytes. */
  readonly random: Uint8Array
}

export const NAME = 'flax'
export const SPAN = { name: NAME, firstMs: EPOCH_MS, lastMs: LAST_MS }

export const words: WordCoder<FlaxId> = /* @__PURE__ */ words64(NAME, ALPHABET)
export const coder: TextCoder<FlaxId> = /* @__PURE__ */ coder64(NAME, words)

/** The text of a time within the span and the 7 bytes of `random` at `offset`. */
export function spell(timeMs: number, random: Uint8Array, offset: number): FlaxId {
  const time = timeMs - EPOCH_MS
  const high = Math.floor(time / 0x10000)
  const byte = (i: number): number => random[offset + i] as number
  return words.spell(
    high,
    ((time - high * 0x10000) << 8) | byte(0),
    (byte(1) << 16) | (byte(2) << 8) | byte(3),
    (byte(4) << 16) | (byte(5) << 8) | byte(6),
  )
}

export function pack({ timeMs, random }: FlaxFields): FlaxId {
  return spell(checkTimeField(SPAN, timeMs), checkBytes(NAME, random, RANDOM_BYTES, 'random'), 0)
}

export function unpack(id: FlaxId): FlaxFields {
  const bytes = coder.decode(id)
  return { timeMs: timeOf(id), random: bytes.slice(-RANDOM_BYTES) }
}

/** The time of a text that is an id. */
export const timeOf = (id: FlaxId): number =>
  EPOCH_MS + words.word(id, 0) * 0x10000 + (words.word(id, 4) >> 8)
