import { cut, type NativeUid } from './uid-natives.js'

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

/** uid: from a node to all of them, or back. */
export interface Conversion {
  readonly localNode: string
  readonly input: NativeUid
  readonly result: NativeUid | null
}

/** Unix milliseconds of a moment that was cut down to the start of its step. */
export const timeAfterCut = (timeMs: number, microSeconds: number): number =>
  timeMs - Math.floor(microSeconds / 1000) + Math.floor(cut(microSeconds) / 1000)
