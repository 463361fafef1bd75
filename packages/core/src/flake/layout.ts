import type { Layout } from '../family.js'

const TIME_BITS = 42
const COUNTER_BITS = 12
export const MAX_TIME = 2 ** TIME_BITS - 1
export const MAX_ID = 0x3ff
export const MAX_DATACENTER = 0x1f
export const MAX_WORKER = 0x1f
export const MAX_COUNTER = 2 ** COUNTER_BITS - 1
export const BYTE_LENGTH = 8
export const PATTERN = /^(?:0|[1-9][0-9]{0,19})$/

export const layout = (epochMs: number): Layout => ({
  fields: [
    { name: 'time', bits: TIME_BITS },
    { name: 'datacenter', bits: 5 },
    { name: 'worker', bits: 5 },
    { name: 'counter', bits: COUNTER_BITS },
  ],
  epochMs,
  unitMs: 1,
})
