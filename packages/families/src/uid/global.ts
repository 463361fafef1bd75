import { defineFamily, type IdFamily } from '@snoflax/core'
import { checkInteger, checkOptions, fail } from '@snoflax/core/define'
import { distance, type UidDistance } from './distance.js'
import { createGenerator, type UidGenerator } from './generator.js'
import { coder, NAME, neighbourhoodCodec, type UidFields, type UidId } from './global-codec.js'
import {
  DEFAULT_NEIGHBOURHOOD,
  GLOBAL_PATTERN,
  globalLayout,
  LAST_MS,
  MAX_NEIGHBOURHOOD,
  MIN_NEIGHBOURHOOD,
} from './layout.js'
import { type UidLocalFamily, uidLocal } from './local.js'
import * as local from './local-codec.js'
import { fingerprint, type UidNode } from './node.js'
import { createSteps, STEP_OPTIONS, type UidStepOptions } from './steps.js'
import { type VectorClocks, vectorClocks } from './vector-clock.js'

export type { UidFields, UidId } from './global-codec.js'

/** Options of `uid.generator`. */
export interface UidGeneratorOptions extends UidStepOptions {
  /** This host's name or fingerprint. No two live generators may share it. */
  readonly node: UidNode
}

/** Generates global ids of one node. */
export interface UidGlobalGenerator extends UidGenerator<UidId> {
  /** Generates local ids with the same sequence numbers as the global ones, so that `fromLocal` repeats no id. */
  readonly local: UidGenerator<local.UidLocalId>
}

/** The family of global uid ids. It has no `generate`, since each id contains the node that generated it. */
export interface UidFamily extends IdFamily<UidId, UidFields> {
  /**
   * Ids of a window of 2^neighbourhood seconds sort by node before time. Ids don't contain it, so use one only.
   */
  readonly neighbourhood: number
  /** The family of its local ids. */
  readonly local: UidLocalFamily
  /** The same family with another neighbourhood, 5 to 10. @throws {IdError} `FIELD_OUT_OF_RANGE`. */
  withNeighbourhood(neighbourhood: number): UidFamily
  /**
   * Creates a generator of one node's ids.
   *
   * @throws {IdError} `GENERATOR_REQUIRED` without a node, `INVALID_OPTION` for an empty name.
   */
  generator(options: UidGeneratorOptions): UidGlobalGenerator
  /** The 32 bits by which ids name a node. */
  fingerprint(node: UidNode): number
  /** The global id of a local id that the node generated. */
  fromLocal(id: local.UidLocalId, host: { readonly node: UidNode }): UidId
  /** The local id of a global id of the node. @throws {IdError} `NODE_MISMATCH` for an id of another node. */
  toLocal(id: UidId, host: { readonly node: UidNode }): local.UidLocalId
  /** The local id of a global id of any node. Local ids of different nodes can be equal. */
  forceLocal(id: UidId): local.UidLocalId
  /** `a` minus `b`, for two ids of one node. @throws {IdError} `NODE_MISMATCH`. */
  distance(a: UidId, b: UidId): UidDistance
  /** Vector clocks of this family's ids. */
  readonly vclock: VectorClocks
}

/**
 * uid, global: 12 bytes, 16 characters; time in steps of 1.024 ms, node and sequence. Its `range` selects whole windows
 * (256 seconds with the default neighbourhood), so check the ids with `uid.time`. Source: fogfish/uid;
 * see spec/uid.md.
 *
 * @example
 * const ids = uid.generator({ node: 'orders@10.0.0.7' })
 * uid.time(ids.generate())
 */
export const uid: UidFamily = /* @__PURE__ */ createUid(DEFAULT_NEIGHBOURHOOD)

function createUid(neighbourhood: number): UidFamily {
  const codec = neighbourhoodCodec(neighbourhood)
  const family = defineFamily<UidId, UidFields>({
    ...coder,
    name: NAME,
    layout: globalLayout(neighbourhood),
    pattern: GLOBAL_PATTERN,
    storages: ['text', 'uuid', 'binary', 'uuid8'],
    tag: 4,
    firstMs: 0,
    lastMs: LAST_MS,
    exactRange: false,
    generatorExample: "uid.generator({ node: 'orders@10.0.0.7' })",
    pack: codec.pack,
    unpack: codec.unpack,
    timeMs: codec.timeMs,
    lowerBoundMs: codec.lowerBoundMs,
    upperBoundMs: codec.upperBoundMs,
  })
  const nodeOf = (node: UidNode): number => fingerprint(NAME, node)
  const hostOf = (host: { readonly node: UidNode }): number => {
    return nodeOf(checkOptions(NAME, host, { node: 'any' }, 'host').node)
  }
  const forceLocal = (id: UidId): local.UidLocalId => local.spell(codec.unpack(id))

  return Object.assign(family, {
    neighbourhood,
    local: uidLocal,
    ...(neighbourhood !== DEFAULT_NEIGHBOURHOOD && { variant: neighbourhood }),
    withNeighbourhood: (bits: number) =>
      createUid(checkInteger(NAME, 'neighbourhood', bits, MIN_NEIGHBOURHOOD, MAX_NEIGHBOURHOOD)),
    generator(passed: UidGeneratorOptions) {
      const options = checkOptions(NAME, passed, { node: 'any', ...STEP_OPTIONS })
      const node = nodeOf(requireNode(options))
      const steps = createSteps(family, options)
      return {
        ...createGenerator(family, steps, (step) => codec.spell(step, node)),
        local: createGenerator(uidLocal, steps, local.spell),
      }
    },
    fingerprint: nodeOf,
    fromLocal: (id: local.UidLocalId, host: { readonly node: UidNode }) =>
      codec.spell(local.unpack(id), hostOf(host)),
    toLocal(id: UidId, host: { readonly node: UidNode }) {
      checkSameNode(codec.unpack(id).node, hostOf(host), id)
      return forceLocal(id)
    },
    forceLocal,
    distance(a: UidId, b: UidId) {
      const [x, y] = [codec.unpack(a), codec.unpack(b)]
      checkSameNode(x.node, y.node, a)
      return distance(x, y)
    },
    vclock: vectorClocks(codec.unpack, nodeOf),
  })
}

function requireNode({ node }: Partial<UidGeneratorOptions>): UidNode {
  if (node !== undefined) return node
  fail('GENERATOR_REQUIRED', NAME, 'a generator needs its own node; pass { node }', undefined, 'node')
}

function checkSameNode(node: number, expected: number, id: UidId): void {
  if (node === expected) return
  const hex = (fingerprint: number): string => fingerprint.toString(16).padStart(8, '0')
  fail('NODE_MISMATCH', NAME, `${id} has node ${hex(node)}, not ${hex(expected)}`, id, 'node')
}
