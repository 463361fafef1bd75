import type { Layout } from '../family.js'
import { alphabet } from '../primitives/alphabet.js'

/** 2015-01-01T00:00:00Z. */
export const EPOCH_MS = 1_420_070_400_000
const TIME_BITS = 40
export const RANDOM_BYTES = 7
export const LAST_MS = EPOCH_MS + 2 ** TIME_BITS - 1

export const LAYOUT: Layout = {
  fields: [
    { name: 'time', bits: TIME_BITS },
    { name: 'random', bits: 8 * RANDOM_BYTES },
  ],
  epochMs: EPOCH_MS,
  unitMs: 1,
}

export const ALPHABET = /* @__PURE__ */ alphabet(
  '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
)
export const PATTERN = /^[0-9A-Z\-_a-z]{16}$/
