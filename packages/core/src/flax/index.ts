import { deriveFamily } from '../define-family.js'
import type { IdFamily, IdOf } from '../family.js'
import type { Time } from '../primitives/clock.js'
import { once } from '../primitives/realms.js'
import * as codec from './codec.js'
import { createGenerator, type FlaxGenerator, type FlaxGeneratorOptions } from './generator.js'
import { LAYOUT, PATTERN } from './layout.js'

export type { FlaxFields, FlaxId } from './codec.js'
export type { FlaxGenerator, FlaxGeneratorOptions } from './generator.js'

/** The family of flax ids. */
export interface FlaxFamily extends IdFamily<codec.FlaxId, codec.FlaxFields> {
  /** A new id: the clock's millisecond and 56 bits from the CSPRNG. @throws {IdError} `TIME_OUT_OF_RANGE`. */
  generate<Of extends string = string>(): IdOf<codec.FlaxId, Of>
  /** An id with this time. @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME`. */
  generateAt<Of extends string = string>(time: Time): IdOf<codec.FlaxId, Of>
  /** Creates a generator with options. */
  generator(options?: FlaxGeneratorOptions): FlaxGenerator
  /** The monotonic generator of this process, the default of id columns. */
  readonly monotonic: FlaxGenerator
}

/**
 * flax: 12 bytes, 16 characters; 40 bits of milliseconds since 2015 and 56 random bits. Processes need no coordination.
 * Source: ergeon/python-flax-id; see spec/flax.md.
 *
 * @example
 * const id = flax.generate() // FlaxId, e.g. 'Kpcan0M1FakODT4k'
 * flax.time(id) // when it was generated
 */
export const flax: FlaxFamily = /* @__PURE__ */ createFlax()

function createFlax(): FlaxFamily {
  const family: IdFamily<codec.FlaxId, codec.FlaxFields> = deriveFamily({
    ...codec.SPAN,
    ...codec.coder,
    layout: LAYOUT,
    pattern: PATTERN,
    storages: ['text', 'uuid', 'binary', 'uuid8'],
    tag: 1,
    pack: codec.pack,
    unpack: codec.unpack,
    timeMs: (id) => codec.timeOf(family.parse(id) as codec.FlaxId),
    lowerBoundMs: (timeMs) => codec.spell(timeMs, new Uint8Array(7), 0),
  })
  const generator = (options?: FlaxGeneratorOptions): FlaxGenerator => createGenerator(family, options)
  const { generate, generateAt } = generator()
  const methods = { generate, generateAt, generator } as FlaxFamily
  return Object.defineProperty(Object.assign(family, methods), 'monotonic', {
    get: () => once('flax monotonic', () => generator({ monotonic: true })),
  })
}
