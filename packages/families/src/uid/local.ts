import { defineFamily, type IdFamily } from '@snoflax/core'
import { checkOptions } from '@snoflax/core/define'
import { distance, type UidDistance } from './distance.js'
import { createGenerator, type UidGenerator } from './generator.js'
import { LAST_MS, LOCAL_BYTE_LENGTH, LOCAL_LAYOUT, LOCAL_PATTERN, LOCAL_TEXT_LENGTH } from './layout.js'
import * as codec from './local-codec.js'
import { createSteps, STEP_OPTIONS, type UidStepOptions } from './steps.js'

export type { UidLocalFields, UidLocalId } from './local-codec.js'

/** The family of local uid ids. It has no `generate`, since each node needs a single generator. */
export interface UidLocalFamily extends IdFamily<codec.UidLocalId, codec.UidLocalFields> {
  /**
   * Creates a generator, whose ids are unique among themselves only. Use one per node, or the `local` one of a global
   * generator.
   */
  generator(options?: UidStepOptions): UidGenerator<codec.UidLocalId>
  /** `a` minus `b`. */
  distance(a: codec.UidLocalId, b: codec.UidLocalId): UidDistance
}

/**
 * uid, local: 8 bytes, 11 characters; time in steps of 1.024 ms and sequence. Unique on one node only.
 * Source: fogfish/uid; see spec/uid.md.
 *
 * @example
 * const ids = uidLocal.generator()
 * const id = uid.fromLocal(ids.generate(), { node: 'orders@10.0.0.7' })
 */
export const uidLocal: UidLocalFamily = /* @__PURE__ */ createUidLocal()

function createUidLocal(): UidLocalFamily {
  const family = defineFamily<codec.UidLocalId, codec.UidLocalFields>({
    name: codec.NAME,
    layout: LOCAL_LAYOUT,
    byteLength: LOCAL_BYTE_LENGTH,
    textLength: LOCAL_TEXT_LENGTH,
    pattern: LOCAL_PATTERN,
    storages: ['text', 'bigint', 'binary', 'uuid8'],
    tag: 5,
    firstMs: 0,
    lastMs: LAST_MS,
    generatorExample: 'uidLocal.generator()',
    encode: codec.encode,
    decode: codec.decode,
    check: codec.check,
    checkFrom: codec.check,
    pack: codec.pack,
    unpack: codec.unpack,
    timeMs: codec.timeMs,
    lowerBoundMs: codec.lowerBoundMs,
  })
  return Object.assign(family, {
    generator(options?: UidStepOptions) {
      const steps = createSteps(family, checkOptions(codec.NAME, options, STEP_OPTIONS))
      return createGenerator(family, steps, codec.spell)
    },
    distance: (a: codec.UidLocalId, b: codec.UidLocalId) => distance(codec.unpack(a), codec.unpack(b)),
  })
}
