import type { Layout } from '../family.js'
import { alphabet } from '../primitives/alphabet.js'

/** 2010-01-01T00:00:00Z. */
export const EPOCH_MS = 1_262_304_000_000
export const UNIT_MS = 4
export const MAX_UNITS = 0x7f_ffff_ffff
export const MAX_META = 0xff
export const MAX_PARTITION = 0xffff
export const MAX_SEQUENCE = 0xffff
/** The last unit lasts 4 ms, but an id contains the time at which its unit starts. */
export const LAST_MS = 3_461_327_255_548

export const LAYOUT: Layout = {
  fields: [
    { name: 'time', bits: 39 },
    { name: 'tickTock', bits: 1 },
    { name: 'meta', bits: 8 },
    { name: 'partition', bits: 16 },
    { name: 'sequence', bits: 16 },
  ],
  epochMs: EPOCH_MS,
  unitMs: UNIT_MS,
}

export const ALPHABET = /* @__PURE__ */ alphabet('23456789abcdefghijklmnopqrstuvwx')
export const PATTERN = /^[2-9a-x]{16}$/
