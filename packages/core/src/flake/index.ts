import { deriveFamily } from '../define-family.js'
import type { IdFamily } from '../family.js'
import { checkInteger } from '../primitives/errors.js'
import * as codec from './codec.js'
import { createGenerator, type FlakeGenerator, type FlakeGeneratorOptions } from './generator.js'

export type { FlakeFields, FlakeId } from './codec.js'
export type { FlakeGenerator, FlakeGeneratorOptions, FlakeIdentity } from './generator.js'

/**
 * The family of flake ids. It has no `generate`, since each generator needs its own worker id.
 */
export interface FlakeFamily extends IdFamily<codec.FlakeId, codec.FlakeFields> {
  /**
   * Creates a generator. No two live generators may share a worker id.
   *
   * @throws {IdError} `GENERATOR_REQUIRED`, `FIELD_OUT_OF_RANGE`, `INVALID_OPTION`.
   */
  generator(options: FlakeGeneratorOptions): FlakeGenerator
  /**
   * The same family with another epoch, in Unix milliseconds. Ids don't contain the epoch, so use one only.
   *
   * @throws {IdError} `FIELD_OUT_OF_RANGE` for an epoch that is not an integer or too late for a Date.
   */
  withEpoch(epochMs: number): FlakeFamily
  /** The id as a number from 0 to 2^64 - 1. */
  toBigInt(id: codec.FlakeId): bigint
  /** The id of a number. @throws {IdError} `FIELD_OUT_OF_RANGE` below 0 and from 2^64. */
  fromBigInt(value: bigint): codec.FlakeId
  /** 16 lower-case hex digits. */
  toHex(id: codec.FlakeId): string
  /**
   * The id of 1 to 16 lower-case hex digits, with or without `0x`.
   *
   * @throws {IdError} `INVALID_LENGTH`, `INVALID_CHARACTER`.
   */
  fromHex(hex: string): codec.FlakeId
}

/**
 * flake: 8 bytes, 42 bits of milliseconds, datacenter, worker and counter; its text is the decimal number.
 * Source: flake-idgen; see spec/flake.md.
 *
 * @example
 * const ids = flake.generator({ datacenter: 1, worker: 2 })
 * flake.toBigInt(ids.generate())
 */
export const flake: FlakeFamily = /* @__PURE__ */ createFlake(0)

function createFlake(epochMs: number): FlakeFamily {
  const { span, pack, unpack, timeMs, timeSince } = codec.epochCodec(epochMs)
  const family = deriveFamily<codec.FlakeId, codec.FlakeFields>({
    name: codec.NAME,
    layout: codec.layout(epochMs),
    byteLength: codec.BYTE_LENGTH,
    textLength: undefined,
    pattern: codec.PATTERN,
    storages: ['bigint', 'binary', 'uuid8'],
    tag: 3,
    firstMs: span.firstMs,
    lastMs: span.lastMs,
    generatorExample: 'flake.generator({ datacenter: 1, worker: 2 })',
    encode: codec.encode,
    decode: codec.decode,
    check: codec.check,
    checkFrom: codec.check,
    pack,
    unpack,
    timeMs,
    lowerBoundMs: (timeMs) => codec.spell(timeMs - epochMs, 0, 0),
    // Decimal numbers of different lengths don't sort as texts.
    compare: (a, b) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0),
  })
  return Object.assign(family, {
    ...(epochMs !== 0 && { variant: epochMs }),
    generator: (options: FlakeGeneratorOptions) => createGenerator(family, timeSince, options),
    withEpoch: (epochMs: number) => createFlake(checkEpoch(epochMs)),
    toBigInt: codec.toBigInt,
    fromBigInt: codec.fromBigInt,
    toHex: codec.toHex,
    fromHex: codec.fromHex,
  })
}

/** The last epoch: times are Dates, which end 8.64e15 ms after the Unix epoch. */
function checkEpoch(epochMs: number): number {
  return checkInteger(codec.NAME, 'epochMs', epochMs, -8.64e15, 8.64e15 - codec.MAX_TIME)
}
