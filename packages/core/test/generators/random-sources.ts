import type { RandomSource } from '@snoflax/core'

/** Gives the same byte, but for the last one of each call: a source that gives only one is refused. */
export const constant =
  (byte: number): RandomSource =>
  (bytes) => {
    bytes.fill(byte)
    bytes[bytes.length - 1] = byte ^ 1
  }

/** Gives 0, 1, 2 … 255, 0 …, going on from call to call. */
export function counting(): RandomSource {
  let next = 0
  return (bytes) => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = next++ & 0xff
  }
}

/** Gives these bytes, over and over. */
export function repeating(pattern: readonly number[]): RandomSource {
  let next = 0
  return (bytes) => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = pattern[next++ % pattern.length] as number
  }
}

/** Gives these bytes first in each call, then random ones. */
export const startingWith =
  (first: Uint8Array): RandomSource =>
  (bytes) => {
    crypto.getRandomValues(bytes)
    bytes.set(first)
  }
