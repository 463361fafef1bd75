import { deriveFamily } from '../define-family.js'
import type { IdFamily, IdOf } from '../family.js'
import type { Time } from '../primitives/clock.js'
import { refuseType } from '../primitives/errors.js'
import { once } from '../primitives/realms.js'
import * as codec from './codec.js'
import { createGenerator, type SnoGenerator } from './generator.js'
import { EPOCH_MS, LAYOUT, PATTERN, UNIT_MS } from './layout.js'
import type { SnoGeneratorOptions } from './options.js'

export type { SnoFields, SnoId } from './codec.js'
export type { SnoGenerator } from './generator.js'
export type { SnoGeneratorOptions } from './options.js'
export type { SnoOverflow } from './overflow.js'
export type { SnoSnapshot } from './snapshot.js'

/** The family of sno ids. */
export interface SnoFamily extends IdFamily<codec.SnoId, codec.SnoFields> {
  /**
   * A new id from this process's default generator, which has a random partition. `meta` is 0 to 255, default
   * 0.
   *
   * @throws {IdError} as {@link SnoGenerator.generate}.
   */
  generate<Of extends string = string>(meta?: number): IdOf<codec.SnoId, Of>
  /** An id with this time, from the same generator. See {@link SnoGenerator.generateAt}. */
  generateAt<Of extends string = string>(time: Time, meta?: number): IdOf<codec.SnoId, Of>
  /**
   * Creates a generator with its own partition, bounds or snapshot.
   *
   * @throws {IdError} `FIELD_OUT_OF_RANGE`, `INVALID_OPTION`.
   */
  generator(options?: SnoGeneratorOptions): SnoGenerator
  /** The id's metabyte, 0 to 255. */
  meta(id: codec.SnoId): number
  /** The same id with another metabyte. @throws {IdError} `FIELD_OUT_OF_RANGE`. */
  withMeta(id: codec.SnoId, meta: number): codec.SnoId
  /** The zero id, which means "no value". */
  readonly zero: codec.SnoId
  /** Whether it is the zero id. */
  isZero(id: codec.SnoId): boolean
  /** The id as the Go implementation writes it in JSON: null for the zero id. */
  toJson(id: codec.SnoId): codec.SnoId | null
  /** The inverse of `toJson`. @throws {IdError} as `parse`. */
  fromJson(value: unknown): codec.SnoId
}

/**
 * sno: 10 bytes, 16 characters; time in units of 4 ms since 2010, metabyte, partition and sequence.
 * Source: muyo/sno; see spec/sno.md.
 *
 * @example
 * const orders = sno.generator({ partition: 7, meta: 1 })
 * const id = orders.generate() // SnoId, e.g. 'brpk4q72xwf2m63l'
 * sno.meta(id) // 1
 */
export const sno: SnoFamily = /* @__PURE__ */ createSno()

function createSno(): SnoFamily {
  const family = deriveFamily<codec.SnoId, codec.SnoFields>({
    ...codec.SPAN,
    ...codec.coder,
    layout: LAYOUT,
    pattern: PATTERN,
    storages: ['text', 'uuid', 'binary', 'uuid8'],
    tag: 2,
    pack: codec.pack,
    unpack: codec.unpack,
    timeMs: codec.timeMs,
    lowerBoundMs: (timeMs) => codec.spell(Math.ceil((timeMs - EPOCH_MS) / UNIT_MS), 0, 0, 0, 0),
  })
  const zero = family.min
  let standard: SnoGenerator | undefined
  const standardGenerator = (): SnoGenerator => {
    standard ??= once('sno', () => createGenerator(family))
    return standard
  }
  return Object.assign(family, {
    generate: (meta?: number) => standardGenerator().generate(meta),
    generateAt: (time: Time, meta?: number) => standardGenerator().generateAt(time, meta),
    generator: (options?: SnoGeneratorOptions) => createGenerator(family, options),
    meta: codec.meta,
    withMeta: codec.withMeta,
    zero,
    isZero: (id: codec.SnoId) => id === zero,
    toJson: (id: codec.SnoId) => (family.parse(id) === zero ? null : id),
    fromJson(value: unknown) {
      if (value !== null && typeof value !== 'string')
        refuseType(codec.NAME, 'an id in JSON must be a string or null', value)
      return value === null ? zero : family.parse(value)
    },
  }) as SnoFamily
}
