import { deriveFamily } from '../define-family.js'
import { type MonotonicFamily, timeOf, withGenerators } from '../monotonic-family.js'
import { fail } from '../primitives/errors.js'
import * as codec from './codec.js'
import { createGenerator } from './generator.js'

export type { Uuid7, Uuid7Fields } from './codec.js'

/** The family of UUIDs of version 7. */
export interface Uuid7Family extends MonotonicFamily<codec.Uuid7, codec.Uuid7Fields> {
  /**
   * The same family for tables whose older keys are UUIDs of version 4: it accepts them, too. They have no time: `time`
   * is an invalid Date, `timeMs` NaN, `unpack` throws, and a range on the key may select some of them, so recheck its
   * rows.
   */
  withVersion4(): Uuid7Family
  /** Whether the id contains a time: false for version 4. */
  hasTime(id: codec.Uuid7): boolean
}

/**
 * UUIDv7 (RFC 9562): 16 bytes, 48 bits of Unix milliseconds, 36 characters. See spec/uuid7.md.
 *
 * @example
 * const id = uuid7.generate() // Uuid7, e.g. '019aa8f2-7c4d-7a31-9d1c-2f6b8e5a4c10'
 * uuid7.time(id) // when it was generated
 */
export const uuid7: Uuid7Family = /* @__PURE__ */ createFamily(codec.VERSION_7, {
  min: '00000000-0000-7000-8000-000000000000' as codec.Uuid7,
  exactRange: true,
})

/**
 * {@link uuid7} that also accepts UUIDs of version 4: `uuid7.withVersion4()` under a name, which the comments of a Prisma
 * schema need, as in `/// @snoflax uuid7 accept=uuid7or4`.
 *
 * @example
 * uuid7or4.is('f47ac10b-58cc-4372-a567-0e02b2c3d479') // true
 */
export const uuid7or4: Uuid7Family = /* @__PURE__ */ uuid7.withVersion4()

function createFamily(
  versions: codec.UuidVersions,
  { min, exactRange }: { readonly min: codec.Uuid7; readonly exactRange: boolean },
): Uuid7Family {
  const { encode, decode, check } = codec.textCodec(versions)
  const hasTime = (id: codec.Uuid7): boolean => codec.isVersion(decode(id), 7)
  const family = deriveFamily<codec.Uuid7, codec.Uuid7Fields>({
    name: codec.NAME,
    layout: codec.LAYOUT,
    byteLength: codec.BYTE_LENGTH,
    textLength: codec.TEXT_LENGTH,
    pattern: versions.pattern,
    storages: ['uuid', 'text', 'binary'],
    tag: 0,
    firstMs: codec.SPAN.firstMs,
    lastMs: codec.SPAN.lastMs,
    min,
    max: 'ffffffff-ffff-7fff-bfff-ffffffffffff' as codec.Uuid7,
    exactRange,
    encode,
    decode,
    check,
    pack: (fields) => codec.spell(codec.packBytes(codec.NAME, fields)),
    unpack: (id) => codec.unpackBytes(checkTimed(id, decode(id))),
    timeMs(id) {
      const bytes = decode(id)
      return codec.isVersion(bytes, 7) ? timeOf(bytes) : Number.NaN
    },
    lowerBoundMs: (timeMs) => codec.spell(codec.lowestOf(timeMs)),
  })
  const generating = withGenerators(family, (options) => createGenerator(family, codec.spell, options))
  return Object.assign(generating, {
    withVersion4: () =>
      createFamily(codec.VERSION_7_OR_4, {
        min: '00000000-0000-4000-8000-000000000000' as codec.Uuid7,
        exactRange: false,
      }),
    hasTime,
  })
}

function checkTimed(id: codec.Uuid7, bytes: Uint8Array): Uint8Array {
  if (codec.isVersion(bytes, 7)) return bytes
  return fail('NOT_CANONICAL', codec.NAME, `"${id}" is a UUIDv4, which has no time and no fields`, id)
}
