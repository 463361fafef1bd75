import type { Layout } from '@snoflax/core'
import { alphabet } from '@snoflax/core/define'

export const MAX_MEGA_SECONDS = 2 ** 20 - 1
/** The largest value of the 20 bits. A clock returns 0 to 999,999. */
export const MAX_SECONDS = 2 ** 20 - 1
/** Microseconds of a step: ids don't contain the lowest 10 bits of the microseconds. */
export const STEP_US = 1024
export const MAX_STEP = 2 ** 10 - 1
export const MAX_SEQUENCE = 2 ** 14 - 1
export const MAX_NODE = 0xffff_ffff
export const LAST_MS = (MAX_MEGA_SECONDS * 1_000_000 + 999_999) * 1000 + 999

export const LOCAL_BYTE_LENGTH = 8
export const LOCAL_TEXT_LENGTH = 11

export const DEFAULT_NEIGHBOURHOOD = 8
export const MIN_NEIGHBOURHOOD = 5
export const MAX_NEIGHBOURHOOD = 10

const TIME = { epochMs: 0, unitMs: STEP_US / 1000 }

/** With a neighbourhood of n bits, ids of a window of 2^n seconds sort by node first. */
export const globalLayout = (neighbourhood: number): Layout => ({
  fields: [
    { name: 'megaSeconds', bits: 20 },
    { name: 'secondsHigh', bits: 20 - neighbourhood },
    { name: 'node', bits: 32 },
    { name: 'secondsLow', bits: neighbourhood },
    { name: 'step', bits: 10 },
    { name: 'sequence', bits: 14 },
  ],
  ...TIME,
})

export const LOCAL_LAYOUT: Layout = {
  fields: [
    { name: 'megaSeconds', bits: 20 },
    { name: 'seconds', bits: 20 },
    { name: 'step', bits: 10 },
    { name: 'sequence', bits: 14 },
  ],
  ...TIME,
}

export const ALPHABET = /* @__PURE__ */ alphabet(
  '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
)
export const GLOBAL_PATTERN = /^[.0-9A-Z_a-z]{16}$/
/** The last character has 4 bits, so it is one of 16. */
export const LOCAL_PATTERN = /^[.0-9A-Z_a-z]{10}[.37BFJNRVZcgkosw]$/
