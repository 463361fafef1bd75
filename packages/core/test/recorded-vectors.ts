import { cut, type NativeUid, nodeOf } from './uid-natives.js'

/** flax: an id by its time and its random bytes. */
export interface FlaxVector {
  readonly timestampMs: number
  readonly randomHex: string
  readonly text: string
  readonly hex?: string
}

/** flake: an id of a generator, which is datacenter and worker in one number. */
export interface FlakeVector {
  readonly epoch: number
  readonly id: number
  readonly timeMs: number
  readonly counter: number
  readonly hex: string
  readonly dec: string
}

/** flake: one number, written in several ways. */
export interface FlakeFormat {
  readonly hex: string
  readonly dec: string
  readonly hexTrimmed: string
  readonly decPadded20: string
}

/** uid: `C` is in microseconds, `I` the neighbourhood. */
export interface EncodedUid {
  readonly C: number
  readonly I: number
  readonly hex: string
  readonly text: string
  readonly decoded: NativeUid
  readonly timeMs: number
}

/** uid: fields that no clock gives. */
export interface OddEncoding {
  readonly tag: string
  readonly I: number
  readonly uid: NativeUid
  readonly result: string
}

/** uid: bytes that no node makes. */
export interface OddDecoding {
  readonly tag: string
  readonly I: number
  readonly hex: string
  readonly result: NativeUid | null
}

/** uid: from a node to all of them, or back. */
export interface Conversion {
  readonly localNode: string
  readonly input: NativeUid
  readonly result: NativeUid | null
}

/** Of every family. */
export interface Sorted {
  readonly input: readonly string[]
  readonly sorted: readonly string[]
}

/** Unix milliseconds of a moment that was cut down to the start of its step. */
export const timeAfterCut = (timeMs: number, microSeconds: number): number =>
  timeMs - Math.floor(microSeconds / 1000) + Math.floor(cut(microSeconds) / 1000)

/** By arithmetic of our own, with the default neighbourhood: `\x` and hex digits. */
export function uidHex(native: NativeUid): string {
  const [mega, seconds, micro] = native.t
  const bits =
    (BigInt(mega) << 76n) |
    (BigInt(seconds >> 8) << 64n) |
    (BigInt(nodeOf(native)) << 32n) |
    (BigInt(seconds & 255) << 24n) |
    (BigInt(micro >> 10) << 14n) |
    BigInt(native.seq)
  return `\\x${bits.toString(16).padStart(24, '0')}`
}

/** Kinds that SQL has nothing for, and why: `file kind`. */
export const LEFT_OUT_OF_SQL: Readonly<Record<string, string>> = {
  'sno snapshot': 'generators in SQL have no snapshots',
  'sno generator': "a matter of TypeScript's generator",
  'sno newWithTime': "a matter of TypeScript's generator",
  'sno unmarshalJSON': 'JSON is no form of ids in SQL',
  'sno scan': "a driver's matter",
  'sno partition': 'the two-number form is for snapshots',
  'flake options': "a matter of TypeScript's generator",
  'flake script': "a matter of TypeScript's generator",
  'flake fullMillisecond': "a matter of TypeScript's generator",
  'flake callbackScript': "a matter of TypeScript's generator",
  'uid distance': 'no distance in SQL',
  'uid generate': "a matter of TypeScript's generator",
  'uid vclockJoin': 'no vector clocks in SQL',
  'uid vclockDescend': 'no vector clocks in SQL',
  'uid vclockDescendExcept': 'no vector clocks in SQL',
  'uid vclockDiff': 'no vector clocks in SQL',
  'uid vclockTick': 'no vector clocks in SQL',
  'uid vclockNew': 'no vector clocks in SQL',
  'uid sortTerms': "Erlang's order before encoding",
}
