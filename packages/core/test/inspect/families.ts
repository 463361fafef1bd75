import { defineFamily, flake, flax, type Id, IdError, type IdFamily, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import fc from 'fast-check'
import { bytesOf, hexOf } from '../bytes.js'
import { ticket } from '../ticket.js'

/** Those of the smallest alphabet first, as `readings` advises. */
export const OURS: readonly IdFamily[] = [sno, flax, uid, flake, uidLocal]

const PATTERN = /^[0-9a-f]{32}$/

function decode(text: string): Uint8Array {
  if (typeof text !== 'string') throw new IdError('INVALID_TYPE', 'whole: an id must be a string')
  if (PATTERN.test(text)) return bytesOf(text)
  throw new IdError('INVALID_CHARACTER', `whole: no 32 hex digits`, { family: 'whole', value: text })
}

/** A family of 16 bytes, as a uuid of whatever version, whose text is the hex of them. */
export const whole = defineFamily<Id<'whole'>, Uint8Array>({
  name: 'whole',
  layout: {
    fields: [
      { name: 'time', bits: 48 },
      { name: 'random', bits: 80 },
    ],
    epochMs: 0,
    unitMs: 1,
  },
  byteLength: 16,
  textLength: 32,
  pattern: PATTERN,
  storages: ['uuid', 'text'],
  tag: 0,
  firstMs: 0,
  lastMs: 2 ** 48 - 1,
  encode: (bytes) => hexOf(bytes) as Id<'whole'>,
  decode,
  pack: (bytes) => hexOf(bytes) as Id<'whole'>,
  unpack: decode,
  timeMs: (id) => Number.parseInt(id.slice(0, 12), 16),
  lowerBoundMs: (timeMs) => timeMs.toString(16).padStart(12, '0').padEnd(32, '0') as Id<'whole'>,
})

/** Ours, and two of one's own. */
export const FAMILIES: readonly IdFamily[] = [...OURS, ticket, whole]

/** Any id of any of them: any bytes are one. */
export const anyId = fc.constantFrom(...FAMILIES).chain((family) =>
  fc.record({
    family: fc.constant(family),
    id: fc
      .uint8Array({ minLength: family.byteLength, maxLength: family.byteLength })
      .map((bytes) => family.encode(bytes)),
  }),
)

/** Texts of no use, of hex digits, of decimal digits, of hex that is marked, and such as ids have. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.stringMatching(/^[0-9a-f]{1,40}$/),
  fc.stringMatching(/^-?[0-9]{1,22}$/),
  fc.stringMatching(/^(?:\\x|0x|X')[0-9a-f]{0,34}'?$/),
  fc.uuid(),
  fc.stringMatching(/^[-.0-9A-Z_a-z]{11}(?:.{5})?$/),
  anyId.map(({ id }) => id),
)
