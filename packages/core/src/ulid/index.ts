import { deriveFamily } from '../define-family.js'
import type { IdOf } from '../family.js'
import { type MonotonicFamily, withGenerators } from '../monotonic-family.js'
import { CROCKFORD_BYTES, CROCKFORD_DIGITS } from '../primitives/radix.js'
import { bytesOfUuid, uuidText } from '../storage/uuid.js'
import * as codec from './codec.js'
import { createGenerator } from './generator.js'

export type { Ulid, UlidFields } from './codec.js'

/** The family of ULIDs. */
export interface UlidFamily extends MonotonicFamily<codec.Ulid, codec.UlidFields> {
  /** The same 128 bits as the text of a UUID, as the storage `uuid` has them. */
  toUuid(id: codec.Ulid): string
  /** The id of a UUID's text. @throws {IdError} `INVALID_TYPE`, `INVALID_LENGTH`, `INVALID_CHARACTER`. */
  fromUuid<Of extends string = string>(text: string): IdOf<codec.Ulid, Of>
}

/**
 * ULID (github.com/ulid/spec): 16 bytes, 48 bits of Unix milliseconds and 80 random bits, 26 characters. See
 * spec/ulid.md.
 *
 * @example
 * const id = ulid.generate() // Ulid, e.g. '01KAMFKV2D7MRSGKMP8CTEA5BG'
 * ulid.time(id) // when it was generated
 */
export const ulid: UlidFamily = /* @__PURE__ */ createFamily()

function createFamily(): UlidFamily {
  const family = deriveFamily<codec.Ulid, codec.UlidFields>({
    name: codec.NAME,
    layout: {
      fields: [
        { name: 'time', bits: 48 },
        { name: 'random', bits: 80 },
      ],
      epochMs: 0,
      unitMs: 1,
    },
    byteLength: CROCKFORD_BYTES,
    textLength: CROCKFORD_DIGITS,
    pattern: codec.PATTERN,
    storages: ['text', 'uuid', 'binary'],
    tag: 0,
    firstMs: codec.SPAN.firstMs,
    lastMs: codec.SPAN.lastMs,
    encode: codec.encode,
    decode: codec.decode,
    check: codec.check,
    pack: codec.pack,
    unpack: codec.unpack,
    timeMs: codec.timeMs,
    lowerBoundMs: codec.lowerBoundMs,
  })
  const generating = withGenerators(family, (options) => createGenerator(family, options))
  return Object.assign(generating, {
    toUuid: (id: codec.Ulid) => uuidText(codec.decode(id)),
    fromUuid: (text: string) => codec.spell(bytesOfUuid(codec.NAME, text)),
  }) as UlidFamily
}
