import type { IdFamily, IdGenerator, IdOf } from './family.js'
import { readUint } from './primitives/bytes.js'
import type { Clock, Time } from './primitives/clock.js'
import { checkSpan, type TimeSpan, toUnixMs } from './primitives/clock.js'
import type { RandomSource } from './primitives/random.js'
import { once } from './primitives/realms.js'

/** The last Unix millisecond of 48 bits. */
export const LAST_MS = 0xffff_ffff_ffff

/** The first 6 bytes, in Unix milliseconds. */
export const timeOf = (bytes: Uint8Array): number => readUint(bytes, 0, 6)

/** Puts Unix milliseconds into the first 6 bytes. */
export function writeTime(bytes: Uint8Array, timeMs: number): void {
  const high = Math.floor(timeMs / 0x1000000)
  const low = timeMs - high * 0x1000000
  bytes[0] = high >> 16
  bytes[1] = high >> 8
  bytes[2] = high
  bytes[3] = low >> 16
  bytes[4] = low >> 8
  bytes[5] = low
}

/** Whole milliseconds of a time. @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME`. */
export const momentOf = (span: TimeSpan, time: Time): number =>
  checkSpan(span, Math.floor(toUnixMs(span.name, time)))

/** Options of the generators of uuid7, ulid, typeid and flax. */
export interface MonotonicOptions {
  /** The clock, in Unix milliseconds. Default `Date.now`. */
  readonly clock?: Clock
  /** The source of random bits. Default: the platform's CSPRNG; pass another one in tests only. */
  readonly random?: RandomSource
}

/** Generates ids, each larger than the previous one, even if the clock steps back. */
export interface MonotonicGenerator<AnId extends string> extends IdGenerator<AnId> {
  /** A new id. @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME` if the clock is wrong. */
  generate<Of extends string = string>(): IdOf<AnId, Of>
  /** `count` new ids, in order. @throws {IdError} as `generate`. */
  batch<Of extends string = string>(count: number): IdOf<AnId, Of>[]
  /**
   * An id with this time, rounded down to its millisecond, all other bits random. Not monotonic.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME`.
   */
  generateAt<Of extends string = string>(time: Time): IdOf<AnId, Of>
}

/** A family whose generators need only a clock and random bits: uuid7, ulid and the suffix of typeid. */
export interface MonotonicFamily<AnId extends string, Fields> extends IdFamily<AnId, Fields> {
  /**
   * A new id, larger than all that this process has generated with it before.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE`; for ulid `SEQUENCE_EXHAUSTED` if the random part of a millisecond can't grow
   * any more, as its specification requires.
   */
  generate<Of extends string = string>(): IdOf<AnId, Of>
  /** An id with this time. @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME`. */
  generateAt<Of extends string = string>(time: Time): IdOf<AnId, Of>
  /** A separate generator, with its own options. Ids of two generators have no order within a millisecond. */
  generator(options?: MonotonicOptions): MonotonicGenerator<AnId>
}

/** Adds generators to a family. Each process has one default generator, created on first use. */
export function withGenerators<AnId extends string, Fields>(
  family: IdFamily<AnId, Fields>,
  generator: (options?: MonotonicOptions) => MonotonicGenerator<AnId>,
): MonotonicFamily<AnId, Fields> {
  let own: MonotonicGenerator<AnId> | undefined
  const standard = () => {
    own ??= once(`${family.name} generator`, () => generator())
    return own
  }
  return Object.assign(family, {
    generate: () => standard().generate(),
    generateAt: (time: Time) => standard().generateAt(time),
    generator,
  }) as MonotonicFamily<AnId, Fields>
}
