import type { Layout } from '../family.js'
import { alphabet } from '../primitives/alphabet.js'

/** 2015-01-01T00:00:00Z. */
export const EPOCH_MS = 1_420_070_400_000
export const RANDOM_BYTES = 7
/** 40 bits later, 2049-11-03. */
export const LAST_MS = 2_519_582_027_775

export const LAYOUT: Layout = {
  fields: [
    { name: 'time', bits: 40 },
    { name: 'random', bits: 56 },
  ],
  epochMs: EPOCH_MS,
  unitMs: 1,
}

export const ALPHABET = /* @__PURE__ */ alphabet(
  '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
)
export const PATTERN = /^[0-9A-Z\-_a-z]{16}$/
